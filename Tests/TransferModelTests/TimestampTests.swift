// Dates on the wire, and the waits that are written as dates.

import Testing
import TransferModel

private let march2016 = Timestamp(seconds: 1_456_863_361, nanoseconds: 673_000_000)
private let november1994 = Timestamp(seconds: 784_111_777)
private let now = Timestamp(seconds: 1_700_000_000)

@Suite("Dates of RFC 3339")
struct RFC3339Tests {
  @Test(
    "is read",
    arguments: [
      ("F08", "2016-03-01T20:16:01.673Z", march2016),
      ("F09", "2016-03-01T20:16:01.673123Z", Timestamp(seconds: march2016.seconds, nanoseconds: 673_123_000)),
      ("F10", "2016-03-01T20:16:01.6Z", Timestamp(seconds: march2016.seconds, nanoseconds: 600_000_000)),
      ("F11", "2016-03-01T20:16:01Z", Timestamp(seconds: march2016.seconds)),
      (
        "F12", "2016-03-01T20:16:01.673-07:00",
        Timestamp(seconds: march2016.seconds + 7 * 3600, nanoseconds: 673_000_000)
      ),
      (
        "F12", "2016-03-01T20:16:01.673-0700",
        Timestamp(seconds: march2016.seconds + 7 * 3600, nanoseconds: 673_000_000)
      ),
      ("nine digits", "1970-01-01T00:00:00.000000001Z", Timestamp(seconds: 0, nanoseconds: 1)),
      ("east", "1970-01-01T01:00:00+01:00", Timestamp(seconds: 0)),
      ("lower case", "1970-01-01t00:00:00z", Timestamp(seconds: 0)),
      ("leap second", "2016-12-31T23:59:60Z", Timestamp(seconds: 1_483_228_800)),
      ("leap day", "2000-02-29T00:00:00Z", Timestamp(seconds: 951_782_400)),
      ("before 1970", "1969-12-31T23:59:59.5Z", Timestamp(seconds: -1, nanoseconds: 500_000_000)),
    ])
  func read(id: String, text: String, value: Timestamp) {
    #expect(Timestamp(rfc3339: text) == value)
  }

  @Test(
    "F13: is refused",
    arguments: [
      "2016-03-01T20:16:01.673", "yesterday", "", "5", "2016-02-30T00:00:00Z", "2015-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "2016-13-01T00:00:00Z", "2016-00-01T00:00:00Z", "2016-01-00T00:00:00Z", "2016-01-01T24:00:00Z",
      "2016-01-01T00:60:00Z", "2016-01-01T00:00:61Z", "2016-01-01T00:00:00.Z", "2016-01-01T00:00:00.1234567890Z",
      "2016-01-01T00:00:00+1:00", "2016-01-01T00:00:00+24:00", "2016-01-01T00:00:00Zx", "16-01-01T00:00:00Z",
      "2016-1-01T00:00:00Z", "+016-01-01T00:00:00Z", "2016-01-01",
    ])
  func refused(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("F14: is written in UTC with the digits asked for")
  func written() {
    #expect(march2016.rfc3339() == "2016-03-01T20:16:01.673Z")
    #expect(march2016.rfc3339(.seconds) == "2016-03-01T20:16:01Z")
    #expect(march2016.rfc3339(.nanoseconds) == "2016-03-01T20:16:01.673000000Z")
    #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).rfc3339() == "1969-12-31T23:59:59.999Z")
  }

  @Test("every day of 1,200 years comes back")
  func everyDay() {
    var second: Int64 = -30_000_000_000
    while second < 8_000_000_000 {
      let stamp = Timestamp(seconds: second, nanoseconds: 123_456_789)
      #expect(Timestamp(rfc3339: stamp.rfc3339(.nanoseconds)) == stamp)
      second += 86_400 * 7 + 12_345
    }
  }
}

@Suite("Dates of HTTP")
struct HTTPDateTests {
  @Test(
    "all three forms of RFC 9110 section 5.6.7 are read",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "  Sun, 06 nov 1994 08:49:37 gmt ", "Mon, 06 Nov 1994 08:49:37 UTC", "Sun Nov 06 08:49:37 1994",
    ])
  func read(text: String) {
    #expect(Timestamp(httpDate: text, now: now) == november1994)
  }

  @Test(
    "a year of two digits lies at most 50 years ahead",
    arguments: [
      ("Friday, 01-Jan-73 00:00:00 GMT", "2073-01-01T00:00:00Z"),
      ("Friday, 01-Jan-74 00:00:00 GMT", "1974-01-01T00:00:00Z"),
      ("Friday, 01-Jan-00 00:00:00 GMT", "2000-01-01T00:00:00Z"),
    ])
  func twoDigitYears(text: String, expected: String) {
    #expect(Timestamp(httpDate: text, now: now)?.rfc3339(.seconds) == expected)
  }

  @Test(
    "is refused",
    arguments: [
      "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 194 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 25:49:37 GMT",
    ])
  func refused(text: String) {
    #expect(Timestamp(httpDate: text, now: now) == nil)
  }

  @Test("is written as IMF-fixdate, with the right day")
  func written() {
    #expect(november1994.httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(Timestamp(seconds: 0).httpDate == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(Timestamp(seconds: -86_400).httpDate == "Wed, 31 Dec 1969 00:00:00 GMT")
    #expect(Timestamp(seconds: 951_782_400).httpDate == "Tue, 29 Feb 2000 00:00:00 GMT")
  }
}

@Suite("Retry-After")
struct RetryAfterTests {
  private func wait(_ value: String?, date: String? = nil) -> Duration? {
    var fields = HTTPFields()
    if let value { fields.append("retry-after", value) }
    if let date { fields.append("Date", date) }
    return RetryAfter.wait(from: fields, now: now)
  }

  @Test(
    "seconds",
    arguments: [
      ("I12", "2", .seconds(2) as Duration?), ("zero", "0", .zero), ("blanks", " 7 ", .seconds(7)), ("I14", "abc", nil),
      ("negative", "-5", nil), ("fraction", "1.5", nil), ("two values", "1, 2", nil),
      ("a year", "31536000", RetryAfter.longest), ("beyond 64 bits", "99999999999999999999", RetryAfter.longest),
    ])
  func seconds(id: String, value: String, expected: Duration?) {
    #expect(wait(value) == expected)
  }

  @Test("P24: a date is measured against the response's own Date")
  func serverClockOff() {
    let serverNow = Timestamp(seconds: now.seconds - 7_200)
    let later = Timestamp(seconds: serverNow.seconds + 4)
    #expect(wait(later.httpDate, date: serverNow.httpDate) == .seconds(4))
  }

  @Test("P24: without a readable Date the given clock serves")
  func localClock() {
    let later = Timestamp(seconds: now.seconds + 90)
    #expect(wait(later.httpDate) == .seconds(90))
    #expect(wait(later.httpDate, date: "today") == .seconds(90))
  }

  @Test("I13: a date in the past is no wait, a far one is capped")
  func pastAndFar() {
    #expect(wait(Timestamp(seconds: now.seconds - 5).httpDate) == .zero)
    #expect(wait("Fri, 31 Dec 9999 23:59:59 GMT") == RetryAfter.longest)
  }

  @Test("no field, no wait")
  func absent() {
    #expect(wait(nil) == nil)
    #expect(wait("") == nil)
  }
}
