// The calendar behind dates on the wire: pure integer arithmetic, UTC only, no locale and no time zone database.

/// A date and time of day of the proleptic Gregorian calendar in UTC. Conversion to and from days since 1970 follows from
/// the 400-year cycle of 146,097 days, counted from 1 March so that the leap day comes last.
struct CivilDate {
  var year: Int64
  /// 1 ... 12.
  var month: Int64
  /// 1 ... 31.
  var day: Int64
  var hour: Int64 = 0
  var minute: Int64 = 0
  var second: Int64 = 0

  /// Whether the month has that day and the clock that time. 60 seconds count as a leap second, which UTC seconds since
  /// 1970 do not know: it is taken as the first second of the next minute.
  var isValid: Bool {
    (1...12).contains(month) && day >= 1 && day <= Self.days(inMonth: month, of: year) && (0...23).contains(hour)
      && (0...59).contains(minute) && (0...60).contains(second) && (0...9999).contains(year)
  }

  var secondsSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * Self.daysPerEra + dayOfEra - Self.daysTo1970
    return days * 86_400 + hour * 3_600 + minute * 60 + second
  }

  init(year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  init(secondsSince1970 seconds: Int64) {
    let (days, timeOfDay) = Self.floorDivide(seconds, by: 86_400)
    let (era, dayOfEra) = Self.floorDivide(days + Self.daysTo1970, by: Self.daysPerEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = timeOfDay / 3_600
    minute = timeOfDay / 60 % 60
    second = timeOfDay % 60
  }

  /// 0 = Sunday.
  static func weekday(ofSecondsSince1970 seconds: Int64) -> Int {
    let (days, _) = floorDivide(seconds, by: 86_400)
    return Int(floorDivide(days + 4, by: 7).remainder)
  }

  private static let daysPerEra: Int64 = 146_097
  /// From 1 March of year 0 to 1 January 1970.
  private static let daysTo1970: Int64 = 719_468

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// Takes a text apart from the left; every step fails instead of trapping.
struct ByteScanner {
  private(set) var rest: Substring.UTF8View

  init(_ text: Substring) { rest = text.utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Exactly `count` digits as a number.
  mutating func digits(_ count: Int) -> Int64? {
    let head = rest.prefix(count)
    guard head.count == count, let value = ASCII.number(head) else { return nil }
    rest = rest.dropFirst(count)
    return value
  }

  /// The text that stands next, if it is this one; letters in any case.
  mutating func take(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard ASCII.equalIgnoringCase(rest.prefix(wanted.count), wanted) else { return false }
    rest = rest.dropFirst(wanted.count)
    return true
  }

  /// The bytes up to the first that does not satisfy `condition`; may be empty.
  mutating func take(while condition: (UInt8) -> Bool) -> Substring.UTF8View {
    let head = rest.prefix(while: condition)
    rest = rest[head.endIndex...]
    return head
  }
}
