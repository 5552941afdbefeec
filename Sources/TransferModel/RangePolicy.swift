// When an object may be fetched by several streams: values, and one pure table.

/// What the user allows.
package struct RangePolicy: Hashable, Sendable {
  /// Smaller objects are fetched by one stream.
  package var cutoff: Int64
  /// Streams of one object at the same time, the first included; 1 = never more than one.
  package var streams: Int

  package init(cutoff: Int64 = 64 << 20, streams: Int = 4) {
    self.cutoff = cutoff
    self.streams = streams
  }

  /// No stream is given less than this to do: asking for it would take longer than the rest.
  package static let minimumPiece: Int64 = 1 << 20

  /// What is known once the head of the first answer is there.
  package struct Facts: Hashable, Sendable {
    /// nil = unknown.
    package var total: Int64?
    package var hasStrongValidator: Bool
    /// Whether the server codes or decodes the bytes on the way.
    package var isTranscoded: Bool
    /// The `Accept-Ranges` of the answer.
    package var acceptRanges: String?
    /// Whether this host, or this object before, showed that it cannot be asked for ranges.
    package var rangesFailed: Bool

    package init(
      total: Int64?, hasStrongValidator: Bool, isTranscoded: Bool = false, acceptRanges: String? = nil,
      rangesFailed: Bool = false
    ) {
      self.total = total
      self.hasStrongValidator = hasStrongValidator
      self.isTranscoded = isTranscoded
      self.acceptRanges = acceptRanges
      self.rangesFailed = rangesFailed
    }
  }

  /// How many streams there may be at most.
  ///
  /// | when | streams |
  /// | --- | --- |
  /// | the length is unknown, or below the cutoff | 1 |
  /// | no generation and no strong ETag: nothing would tie the ranges together | 1 |
  /// | transcoded, `Accept-Ranges: none`, or ranges have failed here | 1 |
  /// | otherwise | `streams` |
  package func limit(_ facts: Facts) -> Int {
    guard let total = facts.total, mayDivide(total) else { return 1 }
    guard facts.hasStrongValidator, !facts.isTranscoded, !facts.rangesFailed else { return 1 }
    if let accepted = facts.acceptRanges, ASCII.equalIgnoringCase(accepted.utf8, "none".utf8) { return 1 }
    return max(1, streams)
  }

  /// Whether an object is long enough for more than one stream.
  package func mayDivide(_ total: Int64) -> Bool { total >= max(cutoff, 2 * Self.minimumPiece) }
}
