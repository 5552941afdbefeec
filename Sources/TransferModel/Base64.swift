// Base64 as hashes are sent in it (RFC 4648 section 4), small and strict.

/// Encoding and decoding of the standard alphabet, with padding.
package enum Base64 {
  /// nil unless the text is whole groups of the standard alphabet, padded, with no blank and no stray bits: two texts
  /// never stand for the same bytes.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let symbols = Array(text.utf8)
    guard symbols.count % 4 == 0 else { return nil }
    let padding = symbols.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count / 4 * 3)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for symbol in symbols.dropLast(padding) {
      guard let value = value(of: symbol) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    return bits == 0 ? bytes : nil
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
