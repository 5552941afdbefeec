// RSA signatures by OpenSSL.

import CCrypto
import TransferModel

/// A private RSA key. Its pointer never leaves this file.
final class RSAPrivateKey: Sendable {
  // Owned by this object, never changed after init: OpenSSL allows a key to be used from several threads.
  private nonisolated(unsafe) let key: OpaquePointer

  /// Reads a key in PEM, PKCS #8 or the older RSA form; nil when the text is none, or the key is encrypted or not RSA.
  init?(pem: String) {
    let bytes = Array(pem.utf8)
    guard bytes.count < Int(Int32.max), let key = ccrypto_private_key(bytes, Int32(bytes.count)) else { return nil }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2). Throws `internal_error` when OpenSSL refuses.
  func sign(_ bytes: [UInt8]) throws(TransferFailure) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw Self.failure("EVP_MD_CTX_new") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
      throw Self.failure("EVP_DigestSignInit")
    }
    var count = 0
    guard EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1 else { throw Self.failure("EVP_DigestSign") }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else {
      throw Self.failure("EVP_DigestSign")
    }
    return Array(signature[..<count])
  }

  private static func failure(_ call: String) -> TransferFailure {
    ERR_clear_error()
    return TransferFailure(.internalError, .permanent, "OpenSSL cannot sign: \(call) failed")
  }
}
