// A short number for a name: for ids in reports and for telling two source keys apart.
// Not for security and not for content: those have `Digest`.

/// FNV-1a, 64 bits, over the bytes it is fed.
package struct EntryFingerprint: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package init(of text: String) {
    combine(text.utf8)
  }

  package mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
    }
  }

  /// The value as 16 hexadecimal digits.
  package var hex: String { Self.hex(value, digits: 16) }

  /// The value folded to 32 bits, as 8 hexadecimal digits.
  package var shortHex: String { Self.hex((value >> 32) ^ (value & 0xFFFF_FFFF), digits: 8) }

  private static func hex(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
