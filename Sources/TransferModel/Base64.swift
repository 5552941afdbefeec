// Base64 as hashes are sent in it (RFC 4648 section 4), small and strict.

/// Encoding and decoding of the standard alphabet, with padding.
package enum Base64 {
  /// nil unless the text is whole groups of the standard alphabet, padded, with no blank and no stray bits: two texts
  /// never stand for the same bytes.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var copy = String(text)
    return copy.withUTF8 { decode($0) }
  }

  private static func decode(_ symbols: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard symbols.count % 4 == 0 else { return nil }
    var count = symbols.count
    while count > 0, symbols.count - count < 2, symbols[count - 1] == UInt8(ascii: "=") { count -= 1 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count / 4 * 3)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for index in 0..<count {
      guard let value = value(of: symbols[index]) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    // A single symbol left over carries six bits and no byte.
    return bits == 0 && bitCount < 6 ? bytes : nil
  }

  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var symbols: [UInt8] = []
    symbols.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = (bits << 8 | UInt32(byte)) & 0xFFFF
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        symbols.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { symbols.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return String(decoding: symbols, as: UTF8.self)
  }

  private static let alphabet: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func value(of symbol: UInt8) -> UInt32? {
    switch symbol {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(symbol - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(symbol - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(symbol - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
