// Dates as the two services print them. Reading is limited to the one form that a client may send in a condition.

import Glibc
import TransferModel

enum DateText {
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// `Tue, 15 Nov 1994 08:12:31 GMT` (RFC 9110 section 5.6.7).
  static func http(_ time: Timestamp) -> String {
    let parts = calendar(time)
    let weekday = weekdays[Int(parts.tm_wday)]
    let month = months[Int(parts.tm_mon)]
    return "\(weekday), \(two(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(clock(parts)) GMT"
  }

  /// `2024-01-02T03:04:05.678Z` (RFC 3339), always with milliseconds.
  static func rfc3339(_ time: Timestamp) -> String {
    let parts = calendar(time)
    let milliseconds = String(1000 + time.nanoseconds / 1_000_000).dropFirst()
    return
      "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(clock(parts)).\(milliseconds)Z"
  }

  /// Reads the form that `http` prints, to the second; nil for any other text.
  static func parsingHTTP(_ text: String) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]), let year = Int32(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int32($0) }
    guard time.count == 3 else { return nil }
    var parts = tm()
    parts.tm_mday = day
    parts.tm_mon = Int32(month)
    parts.tm_year = year - 1900
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
    return Timestamp(seconds: Int64(timegm(&parts)))
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func calendar(_ time: Timestamp) -> tm {
    var seconds = time_t(time.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return parts
  }

  private static func clock(_ parts: tm) -> String {
    "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  private static func two(_ number: Int32) -> Substring { String(100 + number).dropFirst() }
}
