// CRC-32C (Castagnoli, RFC 3720 appendix B.4) as a number: of bytes, and of two neighbouring stretches from the
// checksum of each. As one digest among others, fed as bytes pass, it is in `StreamingDigest`.

import CISAL
package import TransferModel

/// CRC-32C arithmetic; 12 to 20 GB/s a core, so it is always worth computing.
package enum CRC32C {
  /// The checksum of `bytes` that follow bytes whose checksum is `previous` (0 to begin).
  package static func update(_ previous: UInt32 = 0, with bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let base = bytes.baseAddress else { return previous }
    return mirror_crc32c(previous, base, bytes.count)
  }

  /// The checksum of two stretches put together, `secondLength` bytes being the length of the second (0 or more).
  ///
  /// A CRC is linear over GF(2): appending n bytes multiplies the first checksum by x^(8n) modulo the polynomial, so no
  /// byte is read again. Takes at most 128 multiplications.
  package static func combine(_ first: UInt32, _ second: UInt32, secondLength: Int64) -> UInt32 {
    precondition(secondLength >= 0, "a length in bytes is never negative")
    var power = one
    var square = xToTheEighth
    var remaining = secondLength
    while remaining > 0 {
      if remaining & 1 == 1 { power = multiply(square, power) }
      square = multiply(square, square)
      remaining >>= 1
    }
    return multiply(power, first) ^ second
  }

  /// The number in a crc32c digest; nil for a digest of another algorithm.
  package static func value(of digest: Digest) -> UInt32? {
    guard digest.algorithm == .crc32c else { return nil }
    return digest.withUnsafeBytes { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  // Polynomials over GF(2) with the coefficient of x^0 in the highest bit, as CRC-32C keeps its register.
  private static let polynomial: UInt32 = 0x82F6_3B78
  private static let one: UInt32 = 1 << 31
  private static let xToTheEighth: UInt32 = 1 << 23

  private static func multiply(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var product: UInt32 = 0
    var shifted = right
    var bit = one
    while bit != 0 {
      if left & bit != 0 { product ^= shifted }
      shifted = shifted & 1 == 1 ? shifted >> 1 ^ polynomial : shifted >> 1
      bit >>= 1
    }
    return product
  }
}
