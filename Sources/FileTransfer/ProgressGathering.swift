// When the progress of a body is told. A function of its pieces.

/// Telling of progress touches what all threads share, so pieces that follow each other closely are told of together.
struct ProgressGathering {
  /// A piece of this size or more was cut from what had come already, and the next one is about to follow.
  static let fullPiece = 16 << 10
  /// So many bytes are told of at the latest: a tenth of a second at 2.5 MiB/s.
  static let most: Int64 = 256 << 10

  private var untold: Int64 = 0

  /// A piece has come; returns of how many bytes is to be told now, 0 = none.
  mutating func add(_ count: Int) -> Int64 {
    untold += Int64(count)
    return count < Self.fullPiece || untold >= Self.most ? takeRest() : 0
  }

  /// No further piece is expected soon; returns of how many bytes was not told.
  mutating func takeRest() -> Int64 {
    defer { untold = 0 }
    return untold
  }
}
