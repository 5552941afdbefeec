// Digests of bytes that are seen once, in order. Reading the bytes of a file is `FileHash`; comparing digests is
// `TransferModel.DigestSet`.

import CCrypto
package import TransferModel

/// Computes the digests of some algorithms at once, fed piece by piece, and can be used again for other bytes.
///
/// Used on one thread; not Sendable. The contexts of OpenSSL are allocated when it is made and kept, so keep one for
/// many files. With no algorithm it costs nothing and gives an empty set.
package final class StreamingDigest {
  package let algorithms: DigestAlgorithms
  /// The number of bytes fed since it was made or reset.
  package private(set) var byteCount: Int64 = 0

  private let hasCRC32C: Bool
  private var crc32c: UInt32 = 0
  private let contexts: [EVPContext]
  /// The first refusal of OpenSSL; told when the digests are asked for, so that feeding stays free of errors.
  private var failure: TransferFailure?

  /// Throws `not_comparable` when the system's OpenSSL refuses an algorithm, as FIPS mode does with md5.
  package init(_ algorithms: DigestAlgorithms) throws(TransferFailure) {
    self.algorithms = algorithms
    hasCRC32C = algorithms.contains(.crc32c)
    var contexts: [EVPContext] = []
    for algorithm in DigestAlgorithm.allCases where algorithms.contains(algorithm) && algorithm != .crc32c {
      contexts.append(try EVPContext(algorithm))
    }
    self.contexts = contexts
  }

  /// Appends bytes. An error of OpenSSL is kept and thrown by `snapshot` or `finish`.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    byteCount += Int64(bytes.count)
    if hasCRC32C { crc32c = CRC32C.update(crc32c, with: bytes) }
    for context in contexts where !context.update(bytes) {
      failure = failure ?? context.refusal(of: "update")
    }
  }

  /// Whether crc32c is all that is computed, so that stretches can be appended by their checksums.
  package var isChecksumOnly: Bool { hasCRC32C && contexts.isEmpty }

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
    for context in contexts where !context.reset() {
      failure = failure ?? context.refusal(of: "reset")
    }
  }

  /// The digests of all bytes so far; more bytes may follow. Throws `internal_error` when OpenSSL failed.
  package func snapshot() throws(TransferFailure) -> DigestSet {
    if let failure { throw failure }
    var digests = DigestSet()
    if hasCRC32C { digests.crc32c = Digest(crc32c: crc32c) }
    for context in contexts {
      guard let digest = context.snapshot() else { throw context.refusal(of: "finish") }
      digests[context.algorithm] = digest
    }
    return digests
  }

  /// The digests of all bytes, after which only `reset` may follow. Costs less than `snapshot`, which must leave its
  /// state as it was. Throws `internal_error` when OpenSSL failed.
  package func conclude() throws(TransferFailure) -> DigestSet {
    if let failure { throw failure }
    var digests = DigestSet()
    if hasCRC32C { digests.crc32c = Digest(crc32c: crc32c) }
    for context in contexts {
      guard let digest = context.conclude() else { throw context.refusal(of: "finish") }
      digests[context.algorithm] = digest
    }
    return digests
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

/// OpenSSL's implementations. Fetched explicitly (`EVP_MD_fetch`), because `EVP_md5()` and its like make OpenSSL 3 look
/// the implementation up again at every reset; once a process, because a fetch costs 4,000 instructions.
private enum EVPMethods {
  /// nil when the system's OpenSSL refuses it.
  static func of(_ algorithm: DigestAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .crc32c: nil
    case .md5: md5
    case .sha256: sha256
    case .sha512: sha512
    }
  }

  // An EVP_MD never changes after its fetch and may be used by any thread; these live as long as the process.
  private nonisolated(unsafe) static let md5 = EVP_MD_fetch(nil, "md5", nil)
  private nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "sha256", nil)
  private nonisolated(unsafe) static let sha512 = EVP_MD_fetch(nil, "sha512", nil)
}

/// Owns what OpenSSL keeps for one algorithm.
private final class EVPContext {
  let algorithm: DigestAlgorithm
  private let method: OpaquePointer
  private let running: OpaquePointer
  /// For snapshots; made by the first one, because most bytes are digested once and to their end.
  private var scratch: OpaquePointer?

  init(_ algorithm: DigestAlgorithm) throws(TransferFailure) {
    guard let method = EVPMethods.of(algorithm) else { throw Self.unavailable(algorithm) }
    guard let running = EVP_MD_CTX_new() else {
      throw TransferFailure(.outOfMemory, .local, "no memory for a digest context of OpenSSL")
    }
    self.algorithm = algorithm
    self.method = method
    self.running = running
    guard reset() else { throw Self.unavailable(algorithm) }
  }

  deinit {
    EVP_MD_CTX_free(running)
    EVP_MD_CTX_free(scratch)
  }

  func reset() -> Bool { EVP_DigestInit_ex(running, method, nil) == 1 }

  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    EVP_DigestUpdate(running, bytes.baseAddress, bytes.count) == 1
  }

  func snapshot() -> Digest? {
    scratch = scratch ?? EVP_MD_CTX_new()
    guard let scratch, EVP_MD_CTX_copy_ex(scratch, running) == 1 else { return nil }
    return conclude(scratch)
  }

  func conclude() -> Digest? { conclude(running) }

  private func conclude(_ context: OpaquePointer) -> Digest? {
    withUnsafeTemporaryAllocation(byteCount: Int(EVP_MAX_MD_SIZE), alignment: 1) { buffer in
      var length: UInt32 = 0
      guard EVP_DigestFinal_ex(context, buffer.baseAddress, &length) == 1 else { return nil }
      return Digest(algorithm, bytes: UnsafeRawBufferPointer(rebasing: buffer[..<Int(length)]))
    }
  }

  func refusal(of step: String) -> TransferFailure {
    TransferFailure(.internalError, .local, "OpenSSL failed to \(step) a \(algorithm.rawValue) digest")
  }

  private static func unavailable(_ algorithm: DigestAlgorithm) -> TransferFailure {
    TransferFailure(
      .notComparable, .local, "OpenSSL on this system does not offer \(algorithm.rawValue)",
      hint: "FIPS mode forbids md5: pin a sha256 instead, or run where \(algorithm.rawValue) is allowed")
  }
}
