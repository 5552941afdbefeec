// What a plan adds up to; folded row by row, so that the rows need not be kept.

import TransferModel

package struct PlanTotals: Hashable, Sendable {
  private var counts: [Action: Int] = [:]
  /// Known bytes of what is fetched.
  package private(set) var downloadBytes: Int64 = 0
  package private(set) var updateBytes: Int64 = 0
  /// Rows that are fetched and whose size is not known beforehand.
  package private(set) var unknownSizes = 0
  /// Rows that stay because of something weaker than a strong ETag.
  package private(set) var weakComparisons = 0
  /// Rows of which nothing is known but what is here (`--offline`); in no count of an action.
  package private(set) var notLookedUp = 0

  package init() {}

  package mutating func add(_ row: PlannedEntry) {
    if row.isNotLookedUp {
      notLookedUp += 1
      return
    }
    counts[row.action, default: 0] += 1
    switch row.action {
    case .download: downloadBytes = downloadBytes.addingSaturated(row.size?.bytes ?? 0)
    case .update: updateBytes = updateBytes.addingSaturated(row.size?.bytes ?? 0)
    case .adopt, .metadata, .skip:
      if !row.comparedBy.isStrong, row.reason != .gone, row.reason != .localChange, row.reason != .localDiffers {
        weakComparisons += 1
      }
      return
    case .delete, .conflict, .error: return
    }
    if row.size == nil { unknownSizes += 1 }
  }

  package subscript(action: Action) -> Int { counts[action] ?? 0 }

  package var all: Int { counts.values.reduce(notLookedUp, +) }
  /// Entries that stay as they are on the disk.
  package var unchanged: Int { self[.skip] + self[.adopt] }
  package var failures: Int { self[.error] + self[.conflict] }
  /// Whether doing the plan changes the tree.
  package var hasChanges: Bool { Action.allCases.contains { $0.changesTree && self[$0] > 0 } }
}

extension PlannedEntry {
  /// Whether nobody asked about it.
  package var isNotLookedUp: Bool { failure?.reason == .notLookedUp }
}

extension Int64 {
  /// The sum of two numbers that are not negative; the largest number when it does not fit. A server that claims
  /// absurd sizes must not stop the program.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
