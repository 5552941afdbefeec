// A short number for a name: for ids in reports and for telling two source keys apart.
// Not for security and not for content: those have `Digest`.

/// FNV-1a, 64 bits, over the bytes it is fed.
package struct EntryFingerprint: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package init(of text: String) {
    var text = text
    text.withUTF8 { combine($0) }
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
    String(unsafeUninitializedCapacity: digits) { buffer in
      for place in 0..<digits {
        let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - place))) & 15
        buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return digits
    }
  }
}
