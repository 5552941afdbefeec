// Which rate holds at which time of the day: one for all of it, or a table of several. Pure; what time it is comes in as a
// parameter, and how a rate is kept is `TokenBucket`.

/// Rates by local time of day. A row holds from its time until that of the next, the last one beyond midnight until that of
/// the first.
package struct RateTable: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package struct Row: Hashable, Sendable {
    /// Seconds since midnight, 0 ..< 86,400.
    package var from: Int
    /// Units a second; 0 = no limit.
    package var rate: Int64

    package init(from: Int, rate: Int64) {
      self.from = from
      self.rate = rate
    }
  }

  package enum Violation: Error, Hashable, Sendable {
    case empty
    /// Two rows begin at this second of the day.
    case duplicate(Int)
  }

  package static let day = 86_400

  /// By their times; never empty.
  package let rows: [Row]

  /// The same rate at all times; 0 = no limit.
  package init(_ rate: Int64) { rows = [Row(from: 0, rate: rate)] }

  package init(integerLiteral rate: Int64) { self.init(rate) }

  /// Rows in any order.
  package init(_ rows: [Row]) throws(Violation) {
    guard !rows.isEmpty else { throw .empty }
    let sorted = rows.sorted { $0.from < $1.from }
    for (row, next) in zip(sorted, sorted.dropFirst()) where row.from == next.from { throw .duplicate(row.from) }
    self.rows = sorted
  }

  /// Whether there is no limit at any time.
  package var isUnlimited: Bool { rows.allSatisfy { $0.rate == 0 } }

  /// The rate at this second of the day.
  package func rate(at second: Int) -> Int64 { row(at: second).rate }

  /// Seconds from this second of the day until the rate is another; nil = it never is.
  package func untilChange(after second: Int) -> Int? {
    let now = row(at: second)
    let later =
      rows.filter { $0.from > second }
      + rows.filter { $0.from <= second }.map {
        Row(from: $0.from + Self.day, rate: $0.rate)
      }
    return later.first { $0.rate != now.rate }.map { $0.from - second }
  }

  private func row(at second: Int) -> Row { rows.last { $0.from <= second } ?? rows[rows.count - 1] }

  /// `08:00` as seconds since midnight; nil for what is no time of day in hours and minutes.
  package static func second(ofTime text: String) -> Int? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      let hour = ASCII.number(parts[0]), let minute = ASCII.number(parts[1]), hour < 24, minute < 60
    else { return nil }
    return Int(hour) * 3_600 + Int(minute) * 60
  }
}
