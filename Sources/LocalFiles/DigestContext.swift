// OpenSSL's digests: the implementations, and what each keeps while it runs.

import CCrypto
import TransferModel

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

/// One algorithm at work. Whoever made it gives it back once, at the end.
///
/// Contexts are used again by whoever is next: to allocate one, set it up and free it costs 1,500 instructions and two
/// counts that all threads share, for bytes that may be few.
struct DigestContext {
  let algorithm: DigestAlgorithm
  private let running: OpaquePointer

  /// So many are kept of an algorithm: about as many as files are written at the same time.
  private static let mostSpare = 64
  private static let spareMD5 = Lock([OpaquePointer]())
  private static let spareSHA256 = Lock([OpaquePointer]())
  private static let spareSHA512 = Lock([OpaquePointer]())

  private static func spare(_ algorithm: DigestAlgorithm) -> Lock<[OpaquePointer]> {
    switch algorithm {
    case .md5, .crc32c: spareMD5
    case .sha256: spareSHA256
    case .sha512: spareSHA512
    }
  }

  /// Throws `not_comparable` when the system's OpenSSL refuses the algorithm.
  init(_ algorithm: DigestAlgorithm) throws(TransferFailure) {
    guard EVPMethods.of(algorithm) != nil else { throw Self.unavailable(algorithm) }
    guard let running = Self.spare(algorithm).withLock({ $0.popLast() }) ?? EVP_MD_CTX_new() else {
      throw TransferFailure(.outOfMemory, .local, "no memory for a digest context of OpenSSL")
    }
    self.algorithm = algorithm
    self.running = running
    guard reset() else {
      EVP_MD_CTX_free(running)
      throw Self.unavailable(algorithm)
    }
  }

  /// The context is not used after this.
  func giveBack() {
    let isKept = Self.spare(algorithm).withLock { spare in
      guard spare.count < Self.mostSpare else { return false }
      spare.append(running)
      return true
    }
    if !isKept { EVP_MD_CTX_free(running) }
  }

  func reset() -> Bool { EVP_DigestInit_ex(running, EVPMethods.of(algorithm), nil) == 1 }

  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    EVP_DigestUpdate(running, bytes.baseAddress, bytes.count) == 1
  }

  /// Of the bytes so far; more may follow.
  func snapshot() -> Digest? {
    guard let copy = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(copy) }
    return EVP_MD_CTX_copy_ex(copy, running) == 1 ? conclude(copy) : nil
  }

  /// Of all bytes; only `reset` may follow.
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
