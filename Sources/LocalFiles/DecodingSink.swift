// The sink of `content: decoded`: stored bytes in, decoded bytes out to another sink. That an object is stored as gzip
// must be declared by its source; nothing here looks at bytes or names to guess it.

package import TransferModel

/// Removes one layer of gzip from the bytes of one object, exactly one because one is declared (P02). Used on one thread.
///
/// `position` and `digests` tell of the stored bytes, so that those are verified as they are stored (P01, P03). Only
/// `commit`, which comes after that check, judges the gzip stream: a fault in it means nothing while the bytes may have
/// been damaged on the way. A download into this sink is never continued: `position` begins at 0, and `park` discards.
package final class DecodingSink: ByteSink {
  /// Stored bytes taken.
  package private(set) var position: Int64 = 0
  /// Decoded bytes given to the inner sink.
  package private(set) var decodedSize: Int64 = 0
  /// Digests of the decoded bytes, of the algorithms that the inner sink was made for; nil before `commit`.
  package private(set) var decodedDigests: DigestSet?

  private let inner: any ByteSink
  private let place: String
  private let pins: DigestSet
  private let limit: Int64?
  private let digest: StreamingDigest
  private let decoder: GzipDecoder

  /// - inner: takes the decoded bytes; belongs to this sink until its end. Bytes that it holds already are forgotten.
  /// - place: what to call the object in messages.
  /// - digest: for the stored bytes; is reset here and belongs to this sink until its end.
  /// - pins: what the decoded bytes must be, checked by `commit`; `inner` must be made for their algorithms.
  /// - limit: how many bytes may come out, whatever went in (P06); nil = any number.
  ///
  /// Throws `out_of_memory`, and what `restart` of the inner sink throws.
  package init(
    into inner: any ByteSink, place: String, digest: StreamingDigest, pins: DigestSet = DigestSet(),
    limit: Int64? = nil
  ) throws(TransferFailure) {
    self.inner = inner
    self.place = place
    self.digest = digest
    self.pins = pins
    self.limit = limit
    decoder = try GzipDecoder()
    digest.reset()
    if inner.position > 0 { try inner.restart() }
  }

  package func restart() throws(TransferFailure) {
    decoder.reset()
    digest.reset()
    position = 0
    decodedSize = 0
    try inner.restart()
  }

  /// Throws `size_limit_exceeded` before the inner sink gets more than `limit` bytes, and whatever the inner sink throws.
  /// Bytes that are not gzip are taken, too: `commit` tells.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
    try decoder.feed(bytes) { decoded throws(TransferFailure) in
      let size = decodedSize + Int64(decoded.count)
      if let limit, size > limit { throw sizeLimitExceeded(limit) }
      try inner.write(decoded)
      decodedSize = size
    }
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  /// Digests of the stored bytes.
  package func digests() throws(TransferFailure) -> DigestSet { try digest.snapshot() }

  /// Puts the decoded bytes in place. What it returns describes those: `LocalStamp.size` is `decodedSize`.
  ///
  /// Throws `decode_failed` unless the stored bytes were one whole gzip stream, `checksum_mismatch` when a pin differs,
  /// `not_comparable` when the inner sink computes no digest that a pin needs, and whatever the inner sink throws.
  @discardableResult
  package func commit(modified: Timestamp?) throws(TransferFailure) -> LocalStamp? {
    if let fault = decoder.faultAtEnd { throw fault.failure(at: place) }
    let digests = try inner.digests()
    try check(digests)
    let stamp = try inner.commit(modified: modified)
    decodedDigests = digests
    return stamp
  }

  /// As `discard`: decoded bytes are no part of the object, so no later run could continue them.
  package func park() { discard() }

  package func discard() { inner.discard() }

  private func check(_ digests: DigestSet) throws(TransferFailure) {
    for pin in pins.all {
      guard let actual = digests[pin.algorithm] else {
        throw TransferFailure(
          .notComparable, .permanent, "\(place): no \(pin.algorithm.rawValue) of the decoded bytes was computed")
      }
      guard actual == pin else {
        throw TransferFailure(
          .checksumMismatch, .integrity,
          "\(place): the decoded bytes have \(pin.algorithm.rawValue) \(actual.hex), but \(pin.hex) is pinned",
          hint: "pin the checksum of the decoded bytes, or use `content: stored`")
      }
    }
  }

  private func sizeLimitExceeded(_ limit: Int64) -> TransferFailure {
    TransferFailure(
      .sizeLimitExceeded, .permanent, "\(place): more than the allowed \(limit) bytes come out of the stored gzip",
      hint: "raise `max_size` if it is meant to be that large, or use `content: stored`")
  }
}
