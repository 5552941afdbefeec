// How many streams one object is fetched by: pure. One to begin with; more only where one leaves the link idle and more
// bring more. On a link of which each connection gets a part, four streams were measured to take 0.3 times as long as one;
// on loopback, which one stream fills, growth never begins.

import TransferModel

/// Watches the rate of one download and says when it is worth another stream.
///
/// A window begins when the number of streams changes, after one sample that is left out (a connection starts slowly, and
/// many limits let the first bytes through at once). With `time` = what is missing at this rate:
///
/// | when | verdict |
/// | --- | --- |
/// | as many streams as allowed, or growth has ended | `keep` |
/// | the window is shorter than time / 20, within 0.3 s and 1 s | `keep` |
/// | the thread was busy for 4/5 of the window: it could not take more | `keep`, and a new window |
/// | time is less than 1 s: too late to gain anything | `keep` |
/// | there is one stream, or the last growth brought a fifth more | `grow`, to twice as many |
/// | not, and the window is three times as long | growth has ended: half as many are worth keeping |
package struct StreamGrowth: Sendable {
  package enum Verdict: Hashable, Sendable {
    case keep
    /// To so many streams.
    case grow(to: Int)
  }

  /// What happened since the sample before.
  package struct Sample: Hashable, Sendable {
    package var elapsed: Duration
    /// Bytes that came, by all streams.
    package var bytes: Int64
    /// How long the transfer thread had nothing to do.
    package var idle: Duration
    /// Bytes that are not there yet.
    package var missing: Int64

    package init(elapsed: Duration, bytes: Int64, idle: Duration, missing: Int64) {
      self.elapsed = elapsed
      self.bytes = bytes
      self.idle = idle
      self.missing = missing
    }
  }

  /// The most streams there may be.
  package let limit: Int
  /// As many streams are worth having.
  package private(set) var level = 1

  private var hasEnded = false
  /// Bytes a second before the last growth.
  private var rateBefore: Double?
  private var window = Window()

  private struct Window {
    var isSkipping = true
    var seconds = 0.0
    var bytes = 0.0
    var idle = 0.0
    /// The richest sample, left out of what later windows are measured against: one burst is no rate.
    var peak = (seconds: 0.0, bytes: 0.0)

    var rate: Double { seconds > 0 ? bytes / seconds : 0 }
    var steadyRate: Double {
      seconds > peak.seconds ? (bytes - peak.bytes) / (seconds - peak.seconds) : rate
    }
  }

  package init(limit: Int) { self.limit = max(1, limit) }

  package mutating func decide(_ sample: Sample) -> Verdict {
    guard !hasEnded, limit > 1 else { return .keep }
    add(sample)
    let time = window.rate > 0 ? Double(sample.missing) / window.rate : .infinity
    let length = min(1, max(0.3, time / 20))
    guard window.seconds >= length - 0.01 else { return .keep }
    if window.idle <= 0.2 * window.seconds {
      window = Window()
      return .keep
    }
    if let rateBefore, window.rate < 1.2 * rateBefore {
      if window.seconds >= 3 * length - 0.01 { end(at: max(1, level / 2)) }
      return .keep
    }
    guard level < limit else {
      hasEnded = true
      return .keep
    }
    guard time >= 1 else { return .keep }
    rateBefore = window.steadyRate
    level = min(limit, level * 2)
    window = Window()
    return .grow(to: level)
  }

  private mutating func add(_ sample: Sample) {
    guard !window.isSkipping else {
      window.isSkipping = false
      return
    }
    let (seconds, bytes) = (sample.elapsed.inSeconds, Double(sample.bytes))
    window.seconds += seconds
    window.bytes += bytes
    window.idle += sample.idle.inSeconds
    if bytes > window.peak.bytes { window.peak = (seconds, bytes) }
  }

  /// Fewer streams run than were wanted, for reasons that have nothing to do with the rate: measures anew.
  package mutating func correct(to streams: Int) {
    guard streams < level else { return }
    level = max(1, streams)
    rateBefore = nil
    window = Window()
  }

  /// No more streams from now on than so many, 1 or more: they brought nothing, or the server does not want them.
  package mutating func end(at level: Int) {
    hasEnded = true
    self.level = max(1, min(level, self.level))
  }
}
