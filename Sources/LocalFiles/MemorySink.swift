// The sink for bytes that the caller wants in hand: metadata documents, `data(maxSize:)`.

package import TransferModel

/// Holds the bytes of one object in memory, at most `maxSize` of them. Used on one thread.
package final class MemorySink: ByteSink {
  /// The bytes; complete once `commit` returned.
  package private(set) var bytes: [UInt8] = []
  /// The limit in bytes.
  package let maxSize: Int64
  private let digest: StreamingDigest

  /// - digest: is reset here and belongs to this sink until its end.
  package init(maxSize: Int64, digest: StreamingDigest) {
    self.maxSize = maxSize
    self.digest = digest
    digest.reset()
  }

  package var position: Int64 { Int64(bytes.count) }

  package func restart() {
    bytes.removeAll(keepingCapacity: true)
    digest.reset()
  }

  /// Throws `size_limit_exceeded` instead of holding more than `maxSize` bytes.
  package func write(_ new: UnsafeRawBufferPointer) throws(TransferFailure) {
    guard position + Int64(new.count) <= maxSize else {
      throw TransferFailure(
        .sizeLimitExceeded, .permanent, "the object is larger than the limit of \(ByteCount(maxSize))",
        hint: "raise the limit, or download to a file")
    }
    bytes.append(contentsOf: new)
    digest.update(new)
  }

  package func digests() throws(TransferFailure) -> DigestSet { try digest.snapshot() }

  package func commit(modified: Timestamp?) {}

  package func park() { discard() }

  package func discard() {
    bytes = []
    digest.reset()
  }
}
