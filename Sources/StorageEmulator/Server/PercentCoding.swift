// Percent-encoding of request targets (RFC 3986 section 2.1), in both directions. Decoding happens in one place and once.

enum PercentCoding {
  /// The bytes behind the escapes, as text; nil when they are not UTF-8. A `%` without two hexadecimal digits stands for
  /// itself. `plusIsSpace` is for query values, which Google's front end reads as forms.
  static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    let source = Array(text.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      let byte = source[index]
      if byte == UInt8(ascii: "%"), index + 2 < source.count,
        let high = digit(source[index + 1]), let low = digit(source[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
        continue
      }
      bytes.append(byte == UInt8(ascii: "+") && plusIsSpace ? UInt8(ascii: " ") : byte)
      index += 1
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Escapes every byte but the unreserved ones.
  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(upper(byte >> 4))
        bytes.append(upper(byte & 15))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func upper(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
  }
}
