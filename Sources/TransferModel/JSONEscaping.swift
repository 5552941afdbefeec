// The characters of a text as JSON has them. What must be escaped, and why, is said at `JSONWriter`.

enum JSONEscaping {
  /// Whether there is nothing but printable ASCII that stands for itself. Eight bytes at a time: nearly all that is
  /// written is names and digits.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    var index = 0
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let ones: UInt64 = 0x0101_0101_0101_0101
      // A byte below n leaves its highest bit set by the subtraction of n; one that is equal is 0 after the XOR.
      let isControl = word &- ones &* 0x20
      let isQuote = (word ^ ones &* 0x22) &- ones
      let isBackslash = (word ^ ones &* 0x5C) &- ones
      let isDelete = (word ^ ones &* 0x7F) &- ones
      guard (word | isControl | isQuote | isBackslash | isDelete) & (ones &* 0x80) == 0 else {
        // Borrows may reach over a byte, so this is a hint that something is there, never the other way round.
        return text.allSatisfy(isPlain)
      }
      index += 8
    }
    return text[index...].allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Appends a text with its quotes; runs that need no escape are copied as they are.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout ByteStore) {
    output.append(UInt8(ascii: "\""))
    var runStart = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard let escaped = scalarToEscape(byte, at: index, in: text) else {
        index += 1
        continue
      }
      output.append(UnsafeBufferPointer(rebasing: text[runStart..<index]))
      append(escapeOf: escaped.value, to: &output)
      index += escaped.length
      runStart = index
    }
    output.append(UnsafeBufferPointer(rebasing: text[runStart...]))
    output.append(UInt8(ascii: "\""))
  }

  private static func scalarToEscape(
    _ byte: UInt8, at index: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> (value: UInt16, length: Int)? {
    switch byte {
    case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E, 0x80...0xC1: return nil
    case 0...0x7F: return (UInt16(byte), 1)
    case 0xC2 where text[index + 1] < 0xA0: return (UInt16(text[index + 1]), 2)
    case 0xE2 where text[index + 1] == 0x80 && (text[index + 2] == 0xA8 || text[index + 2] == 0xA9):
      return (0x2000 | UInt16(text[index + 2] & 0x3F), 3)
    default: return nil
    }
  }

  private static func append(escapeOf scalar: UInt16, to output: inout ByteStore) {
    output.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: output.append(UInt8(scalar))
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
      output.append(UInt8(ascii: "u"))
      let digits = "0123456789abcdef".utf8
      for shift in [12, 8, 4, 0] {
        output.append(digits[digits.index(digits.startIndex, offsetBy: Int(scalar >> UInt16(shift)) & 15)])
      }
    }
  }
}
