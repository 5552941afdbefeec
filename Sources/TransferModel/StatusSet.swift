// HTTP's error statuses as a set that is copied without a count: every transfer carries one.

/// Statuses from 400 to 599.
package struct StatusSet: Hashable, Sendable, ExpressibleByArrayLiteral {
  package static let members: ClosedRange<Int64> = 400...599

  /// A bit for each, the lowest of the first word for 400.
  private var bits = SIMD4<UInt64>()

  package init(arrayLiteral statuses: Int...) {
    for status in statuses { insert(status) }
  }

  package func contains(_ status: Int) -> Bool {
    guard let (word, bit) = Self.place(of: status) else { return false }
    return bits[word] & bit != 0
  }

  /// A number that is no error's is a mistake in the program.
  package mutating func insert(_ status: Int) {
    guard let (word, bit) = Self.place(of: status) else { preconditionFailure("\(status) is no error's status") }
    bits[word] |= bit
  }

  private static func place(of status: Int) -> (word: Int, bit: UInt64)? {
    guard members.contains(Int64(status)) else { return nil }
    let place = status - Int(members.lowerBound)
    return (place / 64, 1 << UInt64(place % 64))
  }
}
