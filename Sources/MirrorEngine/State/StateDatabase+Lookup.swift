// Many rows at once: the planner asks for those of a whole batch of entries.

import MirrorPlan
import TransferModel

extension StateDatabase {
  /// The rows of those destinations, in their order, nil for one that has none, as one moment saw them.
  func rows(for destinations: [RelativePath]) throws(SQLiteError) -> [StateRow?] {
    var rows = [StateRow?](repeating: nil, count: destinations.count)
    try connection.reading { () throws(SQLiteError) in
      // The first run of a mirror asks for all its files, and there is none.
      guard try connection.integer("SELECT EXISTS (SELECT 1 FROM files)") == 1 else { return }
      if try sweep(destinations, &rows) { return }
      for place in destinations.indices where rows[place] == nil { rows[place] = try row(for: destinations[place]) }
    }
    return rows
  }

  /// Reads the stretch of the table in which all of them lie, which costs a third of looking each up, as long as not
  /// many others lie between them.
  ///
  /// Returns whether it came to the end, so that what is not there has no row.
  private func sweep(_ destinations: [RelativePath], _ rows: inout [StateRow?]) throws(SQLiteError) -> Bool {
    let order = Self.sorted(destinations)
    guard let first = order.first, let last = order.last else { return true }
    defer { stretch.reset() }
    stretch.bind(bytesOf: destinations[first].text, at: 0)
    stretch.bind(bytesOf: destinations[last].text, at: 1)
    var strangers = 0
    var next = 0
    while try stretch.step() {
      let isWanted = stretch.withBlob(at: 0) { key in
        while next < order.count {
          let comparison = destinations[order[next]].text.order(to: key)
          if comparison >= 0 { return comparison == 0 }
          next += 1
        }
        return false
      }
      guard isWanted == true else {
        strangers += 1
        if strangers > destinations.count { return false }
        continue
      }
      let row = StateRow(reading: stretch, of: destinations[order[next]])
      var place = next
      repeat {
        rows[order[place]] = row
        place += 1
      } while place < order.count && destinations[order[place]] == destinations[order[next]]
    }
    return true
  }

  /// The places in byte order. Manifests are often written in order.
  private static func sorted(_ destinations: [RelativePath]) -> [Int] {
    let places = Array(destinations.indices)
    let isSorted = zip(destinations, destinations.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted ? places : places.sorted { destinations[$0] < destinations[$1] }
  }
}
