// The gzip format (RFC 1952) as far as a server needs it: wrapping bytes, which does not make them smaller, and taking
// them out again by `Inflate`.

enum Gzip {
  /// `bytes` in stored blocks: valid gzip of about the same length.
  static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var start = 0
    repeat {
      let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
      start += block.count
      let length = UInt16(block.count)
      result.append(start == bytes.count ? 1 : 0)
      for number in [length, ~length] { result += [UInt8(number & 255), UInt8(number >> 8)] }
      result += block
    } while start < bytes.count
    for word in [crc32(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      for shift in stride(from: UInt32(0), to: 32, by: 8) { result.append(UInt8(word >> shift & 255)) }
    }
    return result
  }

  /// One layer less; nil when the bytes are not gzip, or more than `limit` bytes come out.
  static func unwrapped(_ bytes: [UInt8], limit: Int = 256 << 20) -> [UInt8]? {
    guard bytes.count >= 18, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 else { return nil }
    let flags = bytes[3]
    var index = 10
    if flags & 4 != 0 {
      guard index + 2 <= bytes.count else { return nil }
      index += 2 + Int(bytes[index]) + Int(bytes[index + 1]) << 8
    }
    for flag: UInt8 in [8, 16] where flags & flag != 0 {
      while index < bytes.count, bytes[index] != 0 { index += 1 }
      index += 1
    }
    if flags & 2 != 0 { index += 2 }
    guard index < bytes.count - 8 else { return nil }
    return Inflate.inflated(bytes[index..<(bytes.count - 8)], limit: limit)
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in table[Int(UInt8(crc & 255) ^ byte)] ^ crc >> 8 }
  }
}
