// The arithmetic of a rate limit: pure, time comes in as a parameter.

/// A bucket that fills at `rate` units a second and may be overdrawn: whoever takes more than is there gets the units and
/// the time to wait before the next ones, so that the long-run rate is exact whatever the chunk size.
package struct TokenBucket: Sendable {
  /// Units a second, above 0.
  package private(set) var rate: Double
  /// What can be saved up while nothing is taken: a tenth of a second's worth, so that a limit has no burst to speak of.
  private var capacity: Double { rate / 10 }
  private var tokens: Double
  private var filled: MonotonicInstant

  package init(rate: Int64, start: MonotonicInstant) {
    self.rate = Double(max(1, rate))
    tokens = 0
    filled = start
  }

  /// Takes `units` now and returns how long to wait before taking more; zero when within the rate.
  package mutating func take(_ units: Int64, now: MonotonicInstant) -> Duration {
    fill(now)
    tokens -= Double(units)
    return tokens >= 0 ? .zero : .seconds(-tokens / rate)
  }

  /// Another rate holds from now on; what was overdrawn is worked off at it.
  package mutating func setRate(_ rate: Int64, now: MonotonicInstant) {
    fill(now)
    self.rate = Double(max(1, rate))
    tokens = min(capacity, tokens)
  }

  private mutating func fill(_ now: MonotonicInstant) {
    let elapsed = max(0, (now - filled).inSeconds)
    filled = max(filled, now)
    tokens = min(capacity, tokens + elapsed * rate)
  }
}
