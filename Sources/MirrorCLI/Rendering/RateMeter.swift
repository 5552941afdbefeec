// The present rate of a growing byte count.

import TransferModel

/// The mean rate over the last seconds, so that the display neither jumps nor remembers a slow start.
struct RateMeter: Sendable {
  /// How far back the mean reaches.
  static let window = Duration.seconds(10)
  /// Samples closer than this to the one before are not kept, which bounds their number to 40.
  private static let spacing = Duration.milliseconds(250)

  private var samples: [(at: MonotonicInstant, bytes: Int64)] = []
  private var latest: (at: MonotonicInstant, bytes: Int64)?

  /// Takes the count at `now`; a count that went down (a transfer began again) starts the measurement over.
  mutating func add(_ bytes: Int64, at now: MonotonicInstant) {
    if let latest, bytes < latest.bytes { samples.removeAll() }
    latest = (now, bytes)
    if let last = samples.last, now - last.at < Self.spacing { return }
    samples.append((now, bytes))
    samples.removeAll { now - $0.at > Self.window }
  }

  /// Bytes a second; nil before half a second was seen.
  var rate: Double? {
    guard let first = samples.first, let latest else { return nil }
    let seconds = (latest.at - first.at).inSeconds
    return seconds >= 0.5 ? Double(latest.bytes - first.bytes) / seconds : nil
  }
}
