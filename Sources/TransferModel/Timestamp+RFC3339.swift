// Dates as they stand in JSON (RFC 3339 section 5.6).

extension Timestamp {
  /// Reads `2016-03-01T20:16:01.673Z`: 0 to 9 digits of a fraction, the zone as `Z`, `±hh:mm` or `±hhmm`. nil for anything
  /// else, such as a date without a zone: what it means cannot be known.
  package init?(rfc3339 text: some StringProtocol) {
    var scanner = ByteScanner(Substring(text))
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
      let day = scanner.digits(2), scanner.take("T") || scanner.take(" "),
      let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"),
      let second = scanner.digits(2), let nanoseconds = Self.fraction(&scanner), let offset = Self.zone(&scanner),
      scanner.isAtEnd
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard date.isValid else { return nil }
    self.init(seconds: date.secondsSince1970 - offset, nanoseconds: nanoseconds)
  }

  /// How many digits of a second are written; what is left out is cut, not rounded.
  package enum Precision: Int, Sendable {
    case seconds = 0
    case milliseconds = 3
    case nanoseconds = 9
  }

  /// `2016-03-01T20:16:01.673Z`, always in UTC. Years before 0 or after 9999 have no such form and are written with as many
  /// digits as they need.
  package func rfc3339(_ precision: Precision = .milliseconds) -> String {
    let date = CivilDate(secondsSince1970: seconds)
    var text = ""
    text.reserveCapacity(30)
    text += "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
    text += "T\(Self.padded(date.hour, 2)):\(Self.padded(date.minute, 2)):\(Self.padded(date.second, 2))"
    switch precision {
    case .seconds: break
    case .milliseconds: text += ".\(Self.padded(Int64(nanoseconds / 1_000_000), 3))"
    case .nanoseconds: text += ".\(Self.padded(Int64(nanoseconds), 9))"
    }
    return text + "Z"
  }

  static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Nanoseconds; 0 when no fraction follows.
  private static func fraction(_ scanner: inout ByteScanner) -> Int32? {
    guard scanner.take(".") else { return 0 }
    let digits = scanner.take(while: ASCII.isDigit)
    guard digits.count <= 9, var value = ASCII.number(digits) else { return nil }
    for _ in digits.count..<9 { value *= 10 }
    return Int32(value)
  }

  /// Seconds to take off to reach UTC.
  private static func zone(_ scanner: inout ByteScanner) -> Int64? {
    if scanner.take("Z") { return 0 }
    let isWest = scanner.take("-")
    guard isWest || scanner.take("+"), let hours = scanner.digits(2) else { return nil }
    _ = scanner.take(":")
    guard let minutes = scanner.digits(2), hours <= 23, minutes <= 59 else { return nil }
    let offset = hours * 3_600 + minutes * 60
    return isWest ? -offset : offset
  }
}
