// Time as the project counts it: a monotonic clock for waiting, a UTC clock for recording.
// Parsing and printing of dates is in `Timestamp+HTTPDate.swift` and `Timestamp+RFC3339.swift`.

/// A point on the monotonic clock, good for differences only; it says nothing about the time of day and a changed
/// system clock does not move it.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// The distance from an origin that is the same for one run of the process.
  package var sinceOrigin: Duration

  package init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

  package static func < (left: Self, right: Self) -> Bool { left.sinceOrigin < right.sinceOrigin }
  package static func + (left: Self, right: Duration) -> Self { .init(sinceOrigin: left.sinceOrigin + right) }
  package static func - (left: Self, right: Self) -> Duration { left.sinceOrigin - right.sinceOrigin }
}

/// A point in UTC, in whole seconds since 1970 and nanoseconds within the second. Never a local time.
package struct Timestamp: Hashable, Comparable, Sendable {
  package var seconds: Int64
  /// 0 ..< 1,000,000,000.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// The time from `right` to `left`; negative when `left` is earlier.
  package static func - (left: Self, right: Self) -> Duration {
    .seconds(left.seconds - right.seconds)
      + .nanoseconds(Int64(left.nanoseconds) - Int64(right.nanoseconds))
  }
}

/// Where the time and the random numbers of a run come from; injected, so that no test waits on the wall.
package protocol Clocks: Sendable {
  /// Monotonic, for waits and rates.
  func monotonic() -> MonotonicInstant
  /// UTC, for records and for reading server dates.
  func utc() -> Timestamp
  /// Uniform in [0, 1), for jitter.
  func random() -> Double
}

extension Duration {
  /// The duration as a floating-point number of seconds, for arithmetic and printing.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// Seconds with three decimals, rounded towards zero; a negative duration is none.
  package var decimalSeconds: String {
    let milliseconds = max(0, inMilliseconds)
    return "\(milliseconds / 1_000)." + String(1_000 + milliseconds % 1_000).dropFirst()
  }

  /// Whole milliseconds, rounded towards zero; what libcurl and poll take.
  package var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
