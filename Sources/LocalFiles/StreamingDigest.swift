// Digests of bytes that are seen once, in order. Reading the bytes of a file is `FileHash`; comparing digests is
// `TransferModel.DigestSet`.

package import TransferModel

/// Computes the digests of some algorithms at once, fed piece by piece, and can be used again for other bytes.
///
/// Used on one thread; not Sendable. With no algorithm it costs nothing and gives an empty set.
package final class StreamingDigest {
  package let algorithms: DigestAlgorithms
  /// The number of bytes fed since it was made or reset.
  package private(set) var byteCount: Int64 = 0

  private let hasCRC32C: Bool
  private var crc32c: UInt32 = 0
  private let md5: DigestContext?
  private let sha256: DigestContext?
  private let sha512: DigestContext?
  /// Whether the contexts have seen no byte since they were set up.
  private var isFresh = true
  /// The first refusal of OpenSSL; told when the digests are asked for, so that feeding stays free of errors.
  private var failure: TransferFailure?

  /// Throws `not_comparable` when the system's OpenSSL refuses an algorithm, as FIPS mode does with md5.
  package init(_ algorithms: DigestAlgorithms) throws(TransferFailure) {
    self.algorithms = algorithms
    hasCRC32C = algorithms.contains(.crc32c)
    md5 = algorithms.contains(.md5) ? try DigestContext(.md5) : nil
    sha256 = algorithms.contains(.sha256) ? try DigestContext(.sha256) : nil
    sha512 = algorithms.contains(.sha512) ? try DigestContext(.sha512) : nil
  }

  deinit {
    md5?.giveBack()
    sha256?.giveBack()
    sha512?.giveBack()
  }

  /// Takes a step with every context; of those that OpenSSL refuses the first is kept.
  @inline(__always)
  private func each(_ step: String, _ take: (DigestContext) -> Bool) {
    if let md5, !take(md5) { failure = failure ?? md5.refusal(of: step) }
    if let sha256, !take(sha256) { failure = failure ?? sha256.refusal(of: step) }
    if let sha512, !take(sha512) { failure = failure ?? sha512.refusal(of: step) }
  }

  private func digests(_ take: (DigestContext) -> Digest?) throws(TransferFailure) -> DigestSet {
    if let failure { throw failure }
    var digests = DigestSet()
    if hasCRC32C { digests.crc32c = Digest(crc32c: crc32c) }
    each("finish") { context in
      guard let digest = take(context) else { return false }
      digests[context.algorithm] = digest
      return true
    }
    if let failure { throw failure }
    return digests
  }

  /// Appends bytes. An error of OpenSSL is kept and thrown by `snapshot` or `finish`.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    byteCount += Int64(bytes.count)
    if hasCRC32C { crc32c = CRC32C.update(crc32c, with: bytes) }
    isFresh = false
    each("update") { $0.update(bytes) }
  }

  /// Whether crc32c is all that is computed, so that stretches can be appended by their checksums.
  package var isChecksumOnly: Bool { hasCRC32C && md5 == nil && sha256 == nil && sha512 == nil }

  /// Appends bytes of which only the checksum is known; for a digest that is `isChecksumOnly`.
  package func append(crc32c checksum: UInt32, length: Int64) {
    precondition(isChecksumOnly, "no other digest can be told of bytes that it does not see")
    crc32c = CRC32C.combine(crc32c, checksum, secondLength: length)
    byteCount += length
  }

  /// Forgets all bytes.
  package func reset() {
    byteCount = 0
    crc32c = 0
    failure = nil
    guard !isFresh else { return }
    isFresh = true
    each("reset") { $0.reset() }
  }

  /// The digests of all bytes so far; more bytes may follow. Throws `internal_error` when OpenSSL failed.
  package func snapshot() throws(TransferFailure) -> DigestSet {
    try digests { $0.snapshot() }
  }

  /// The digests of all bytes, after which only `reset` may follow. Costs less than `snapshot`, which must leave its
  /// state as it was. Throws `internal_error` when OpenSSL failed.
  package func conclude() throws(TransferFailure) -> DigestSet {
    isFresh = false
    return try digests { $0.conclude() }
  }

  /// As `snapshot`, and forgets all bytes.
  package func finish() throws(TransferFailure) -> DigestSet {
    defer { reset() }
    return try conclude()
  }
}

extension StreamingDigest {
  /// The digests of bytes that are all at hand.
  package static func digests(
    of bytes: some Sequence<UInt8>, _ algorithms: DigestAlgorithms
  ) throws(TransferFailure) -> DigestSet {
    let digest = try StreamingDigest(algorithms)
    let inPlace: Void? = bytes.withContiguousStorageIfAvailable { digest.update(UnsafeRawBufferPointer($0)) }
    if inPlace == nil { Array(bytes).withUnsafeBytes { digest.update($0) } }
    return try digest.conclude()
  }
}
