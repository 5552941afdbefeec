// A plan as a value, for runs that are small enough to keep it; large ones fold `PlanTotals` and write rows as they come.

package struct Plan: Hashable, Sendable {
  package private(set) var rows: [PlannedEntry] = []
  package private(set) var totals = PlanTotals()

  package init(_ rows: [PlannedEntry] = []) {
    for row in rows { append(row) }
  }

  package mutating func append(_ row: PlannedEntry) {
    rows.append(row)
    totals.add(row)
  }
}
