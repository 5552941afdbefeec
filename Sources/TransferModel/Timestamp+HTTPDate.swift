// Dates as they stand in HTTP fields (RFC 9110 section 5.6.7).

extension Timestamp {
  /// Reads the one current and the two obsolete forms; nil for anything else. The name of the day is not held against the
  /// date: recipients are asked to be robust.
  ///
  /// | form | example |
  /// | --- | --- |
  /// | IMF-fixdate | `Sun, 06 Nov 1994 08:49:37 GMT` |
  /// | RFC 850 | `Sunday, 06-Nov-94 08:49:37 GMT` |
  /// | asctime | `Sun Nov  6 08:49:37 1994` |
  ///
  /// A year of two digits that would lie more than 50 years after `now` is of the century before; without `now` such a
  /// date is refused.
  package init?(httpDate text: some StringProtocol, now: Timestamp?) {
    var copy = String(ASCII.trimmed(Substring(text)))
    guard let date = copy.withUTF8({ Timestamp(httpDate: $0, now: now) }) else { return nil }
    self = date
  }

  /// As above, of bytes without blanks at either end.
  init?(httpDate text: UnsafeBufferPointer<UInt8>, now: Timestamp?) {
    guard let seconds = Self.readHTTPDate(ByteScanner(text), now: now) else { return nil }
    self.init(seconds: seconds)
  }

  private static func readHTTPDate(_ start: ByteScanner, now: Timestamp?) -> Int64? {
    var scanner = start
    guard scanner.takeLetters() else { return nil }
    let date = scanner.take(", ") || scanner.take(",") ? commaForm(&scanner, now: now) : asctimeForm(&scanner)
    guard let date, date.isValid, scanner.isAtEnd else { return nil }
    return date.secondsSince1970
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; a fraction of a second is cut.
  package var httpDate: String {
    let date = CivilDate(secondsSince1970: seconds)
    let weekday = Self.weekdays[CivilDate.weekday(ofSecondsSince1970: seconds)]
    let month = Self.months[Int(date.month) - 1]
    let time = "\(Self.padded(date.hour, 2)):\(Self.padded(date.minute, 2)):\(Self.padded(date.second, 2))"
    return "\(weekday), \(Self.padded(date.day, 2)) \(month) \(Self.padded(date.year, 4)) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// IMF-fixdate and RFC 850, behind the comma.
  private static func commaForm(_ scanner: inout ByteScanner, now: Timestamp?) -> CivilDate? {
    guard let day = scanner.digits(2), scanner.take(" ") || scanner.take("-"), let month = month(&scanner),
      scanner.take(" ") || scanner.take("-"), let year = year(&scanner, now: now), scanner.take(" "),
      var date = time(&scanner), scanner.take(" GMT") || scanner.take(" UTC")
    else { return nil }
    (date.year, date.month, date.day) = (year, month, day)
    return date
  }

  private static func asctimeForm(_ scanner: inout ByteScanner) -> CivilDate? {
    guard scanner.take(" "), let month = month(&scanner), scanner.take(" "),
      let day = scanner.take(" ") ? scanner.digits(1) : scanner.digits(2), scanner.take(" "),
      var date = time(&scanner), scanner.take(" "), let year = scanner.digits(4)
    else { return nil }
    (date.year, date.month, date.day) = (year, month, day)
    return date
  }

  private static func month(_ scanner: inout ByteScanner) -> Int64? {
    guard let letters = scanner.lowercased(3) else { return nil }
    for index in 0..<12 where letters == monthCode(index) {
      scanner.skip(3)
      return Int64(index + 1)
    }
    return nil
  }

  private static func monthCode(_ index: Int) -> UInt64 {
    let names: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"
    let name = names.utf8Start + 3 * index
    return UInt64(name[0]) << 16 | UInt64(name[1]) << 8 | UInt64(name[2])
  }

  private static func year(_ scanner: inout ByteScanner, now: Timestamp?) -> Int64? {
    guard let (value, count) = scanner.digits() else { return nil }
    if count == 4 { return value }
    guard count == 2, let now else { return nil }
    let currentYear = CivilDate(secondsSince1970: now.seconds).year
    let inThisCentury = currentYear / 100 * 100 + value
    return inThisCentury > currentYear + 50 ? inThisCentury - 100 : inThisCentury
  }

  private static func time(_ scanner: inout ByteScanner) -> CivilDate? {
    guard let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"),
      let second = scanner.digits(2)
    else { return nil }
    return CivilDate(year: 0, month: 1, day: 1, hour: hour, minute: minute, second: second)
  }
}
