// When the progress of a body is told. A function of its pieces and of the time.

import TransferModel

/// Telling of progress touches what all threads share, so pieces that follow each other closely are told of together.
struct ProgressGathering {
  /// A piece of this size or more was cut from what had come already, and the next one is about to follow.
  static let fullPiece = 16 << 10
  /// So many bytes are told of at the latest,
  static let most: Int64 = 256 << 10
  /// and so long after the last telling whatever has come: a display looks ten times a second.
  static let interval = Duration.milliseconds(100)

  private var untold: Int64 = 0
  private var told: MonotonicInstant

  init(start: MonotonicInstant) { told = start }

  /// A piece has come; returns of how many bytes is to be told now, 0 = none.
  mutating func add(_ count: Int, now: MonotonicInstant) -> Int64 {
    untold += Int64(count)
    guard count < Self.fullPiece || untold >= Self.most || now - told >= Self.interval else { return 0 }
    told = now
    return takeRest()
  }

  /// No further piece is expected soon; returns of how many bytes was not told.
  mutating func takeRest() -> Int64 {
    defer { untold = 0 }
    return untold
  }
}
