// Reads JSON (RFC 8259): the bodies of metadata updates and the `--metadata` file. Numbers are whole ones only, because
// nothing here has others; a fraction is an error and not a rounding.

extension JSON {
  /// Where and why a text is not JSON.
  struct Violation: Error, CustomStringConvertible {
    var offset: Int
    var problem: String
    var description: String { "\(problem) at byte \(offset)" }
  }

  init(parsing bytes: [UInt8]) throws(Violation) {
    var reader = Reader(bytes: bytes)
    self = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw reader.violation("text after the value") }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    func violation(_ problem: String) -> Violation { Violation(offset: index, problem: problem) }

    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipBlanks() {
      while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipBlanks()
      guard next == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func value(depth: Int) throws(Violation) -> JSON {
      guard depth < 64 else { throw violation("nested too deeply") }
      skipBlanks()
      switch next {
      case UInt8(ascii: "{"): return .object(try members(depth: depth))
      case UInt8(ascii: "["): return .array(try elements(depth: depth))
      case UInt8(ascii: "\""): return .string(try string())
      case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try number())
      default:
        for (word, value) in [("null", JSON.null), ("true", .bool(true)), ("false", .bool(false))]
        where bytes[index...].starts(with: word.utf8) {
          index += word.utf8.count
          return value
        }
        throw violation("expected a value")
      }
    }

    mutating func members(depth: Int) throws(Violation) -> [Member] {
      index += 1
      var members: [Member] = []
      if take("}") { return members }
      repeat {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { throw violation("expected a name in quotes") }
        let key = try string()
        guard take(":") else { throw violation("expected a colon") }
        members.append((key, try value(depth: depth + 1)))
      } while take(",")
      guard take("}") else { throw violation("expected a comma or }") }
      return members
    }

    mutating func elements(depth: Int) throws(Violation) -> [JSON] {
      index += 1
      var elements: [JSON] = []
      if take("]") { return elements }
      repeat { elements.append(try value(depth: depth + 1)) } while take(",")
      guard take("]") else { throw violation("expected a comma or ]") }
      return elements
    }

    mutating func number() throws(Violation) -> Int64 {
      let start = index
      index += 1
      while let byte = next, byte >= 0x30, byte <= 0x39 { index += 1 }
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      guard let number = Int64(text), next != UInt8(ascii: "."), next.map({ $0 | 0x20 }) != UInt8(ascii: "e") else {
        throw violation("not a whole number")
      }
      return number
    }

    mutating func string() throws(Violation) -> String {
      index += 1
      var text: [UInt8] = []
      while let byte = next {
        index += 1
        switch byte {
        case UInt8(ascii: "\""):
          guard let string = String(validating: text, as: UTF8.self) else { throw violation("not UTF-8") }
          return string
        case UInt8(ascii: "\\"): try appendEscape(to: &text)
        case 0x00..<0x20: throw violation("a control character in a string")
        default: text.append(byte)
        }
      }
      throw violation("a string without its closing quote")
    }

    mutating func appendEscape(to text: inout [UInt8]) throws(Violation) {
      guard let byte = next else { throw violation("an escape without its character") }
      index += 1
      let plain: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09, UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "\""): UInt8(ascii: "\""),
      ]
      if let character = plain[byte] {
        text.append(character)
        return
      }
      guard byte == UInt8(ascii: "u") else { throw violation("an unknown escape") }
      var code = try hexadecimal()
      if code >= 0xD800, code < 0xDC00 {
        guard take("\\"), next == UInt8(ascii: "u") else { throw violation("half a surrogate pair") }
        index += 1
        let low = try hexadecimal()
        guard low >= 0xDC00, low < 0xE000 else { throw violation("half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw violation("half a surrogate pair") }
      text.append(contentsOf: String(Character(scalar)).utf8)
    }

    mutating func hexadecimal() throws(Violation) -> UInt32 {
      guard index + 4 <= bytes.count,
        let code = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
      else { throw violation("expected four hexadecimal digits") }
      index += 4
      return code
    }
  }
}
