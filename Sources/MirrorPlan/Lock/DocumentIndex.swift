// Where a document of ours says something about a destination, so that it is read entry by entry and only when asked.
// What an entry says is `LockEntry`'s and `PlanFile`'s.

package import TransferModel

/// Destinations in byte order, each with the bytes of the document that are about it. Names lie in one piece of memory,
/// so a million of them cost little more than their bytes.
package struct DocumentIndex: Sendable {
  private struct Row: Sendable {
    var nameStart: Int
    var nameEnd: Int
    var start: Int
    var end: Int
  }

  private var names: [UInt8] = []
  private var rows: [Row] = []
  private var isSorted = true

  package init() {}

  package var count: Int { rows.count }

  /// Adds a destination; `range` is the place of its entry. Call `sort` before anything is looked up.
  package mutating func add(_ name: String, at range: Range<Int>) {
    let start = names.count
    names.append(contentsOf: name.utf8)
    let row = Row(nameStart: start, nameEnd: names.count, start: range.lowerBound, end: range.upperBound)
    if let last = rows.last, !precedes(last, row) { isSorted = false }
    rows.append(row)
  }

  /// Puts the destinations in order. Returns the places of those that come a second time.
  package mutating func sort() -> [(name: String, first: Range<Int>, second: Range<Int>)] {
    if isSorted { return [] }
    rows = rows.enumerated().sorted { left, right in
      if precedes(left.element, right.element) { return true }
      return !precedes(right.element, left.element) && left.offset < right.offset
    }.map(\.element)
    isSorted = true
    return rows.indices.dropFirst().compactMap { place in
      precedes(rows[place - 1], rows[place])
        ? nil : (name(at: place), range(at: place - 1), range(at: place))
    }
  }

  /// The place of a destination in the order; nil when there is none.
  package func place(of path: RelativePath) -> Int? {
    var text = path.text
    return text.withUTF8 { wanted in
      var low = 0
      var high = rows.count
      while low < high {
        let middle = (low + high) / 2
        if compare(rows[middle], wanted) < 0 { low = middle + 1 } else { high = middle }
      }
      return low < rows.count && compare(rows[low], wanted) == 0 ? low : nil
    }
  }

  package func name(at place: Int) -> String {
    String(decoding: names[rows[place].nameStart..<rows[place].nameEnd], as: UTF8.self)
  }

  package func range(at place: Int) -> Range<Int> { rows[place].start..<rows[place].end }

  private func precedes(_ left: Row, _ right: Row) -> Bool {
    names.withUnsafeBufferPointer { bytes in
      compare(left, UnsafeBufferPointer(rebasing: bytes[right.nameStart..<right.nameEnd])) < 0
    }
  }

  /// Negative when the row's name comes before the other, 0 when it is the same.
  private func compare(_ row: Row, _ other: UnsafeBufferPointer<UInt8>) -> Int {
    names.withUnsafeBufferPointer { bytes in
      let length = row.nameEnd - row.nameStart
      for offset in 0..<min(length, other.count) where bytes[row.nameStart + offset] != other[offset] {
        return Int(bytes[row.nameStart + offset]) - Int(other[offset])
      }
      return length - other.count
    }
  }
}
