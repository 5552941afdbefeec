// The inside of JSON strings and numbers (RFC 8259 sections 6 and 7).

extension JSONReader {
  /// Reads the string whose opening quote the cursor stands at.
  mutating func scanString() throws(JSONError) -> String {
    let start = offset + 1
    var end = start
    var seen: UInt8 = 0
    while end < bytes.count {
      let byte = bytes[end]
      switch byte {
      case UInt8(ascii: "\""):
        let text = text(start..<end, isASCII: seen < 0x80)
        guard let text else { throw JSONError.notUTF8(offset: start) }
        offset = end + 1
        return text
      case UInt8(ascii: "\\"):
        return try scanEscapedString(from: start, firstEscape: end)
      case 0..<0x20:
        throw JSONError("a control character in a string must be escaped", offset: end)
      default:
        seen |= byte
        end += 1
      }
    }
    throw JSONError("the string has no end", offset: offset)
  }

  /// nil when the bytes are not UTF-8. `String(validating:)` looks up a generic type at each call, which was half the cost
  /// of a list page; ASCII needs no validation.
  private func text(_ range: Range<Int>, isASCII: Bool) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      let slice = UnsafeBufferPointer(rebasing: buffer[range])
      return isASCII ? String(decoding: slice, as: UTF8.self) : String(validating: slice, as: UTF8.self)
    }
  }

  /// Steps behind the string whose opening quote the cursor stands at, without looking at its content.
  mutating func stepOverString() throws(JSONError) {
    var end = offset + 1
    while end < bytes.count {
      switch bytes[end] {
      case UInt8(ascii: "\""):
        offset = end + 1
        return
      case UInt8(ascii: "\\"): end += 2
      case 0..<0x20: throw JSONError("a control character in a string must be escaped", offset: end)
      default: end += 1
      }
    }
    throw JSONError("the string has no end", offset: offset)
  }

  private mutating func scanEscapedString(from start: Int, firstEscape: Int) throws(JSONError) -> String {
    var content = Array(bytes[start..<firstEscape])
    var end = firstEscape
    while end < bytes.count {
      let byte = bytes[end]
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else {
          throw JSONError.notUTF8(offset: start)
        }
        offset = end + 1
        return text
      case UInt8(ascii: "\\"):
        end = try appendEscape(at: end, to: &content)
      case 0..<0x20:
        throw JSONError("a control character in a string must be escaped", offset: end)
      default:
        content.append(byte)
        end += 1
      }
    }
    throw JSONError("the string has no end", offset: offset)
  }

  /// Appends what the escape at `place` stands for; returns the place behind it.
  private func appendEscape(at place: Int, to content: inout [UInt8]) throws(JSONError) -> Int {
    guard place + 1 < bytes.count else { throw JSONError("the string has no end", offset: place) }
    switch bytes[place + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(bytes[place + 1])
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): return try appendUnicodeEscape(at: place, to: &content)
    default: throw JSONError("no such escape", offset: place)
    }
    return place + 2
  }

  private func appendUnicodeEscape(at place: Int, to content: inout [UInt8]) throws(JSONError) -> Int {
    let unit = try hexUnit(at: place)
    var value = UInt32(unit)
    var end = place + 6
    if UTF16.isLeadSurrogate(unit) {
      guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "\\"), bytes[end + 1] == UInt8(ascii: "u") else {
        throw JSONError("half of a surrogate pair is no character", offset: place)
      }
      let trail = try hexUnit(at: end)
      guard UTF16.isTrailSurrogate(trail) else {
        throw JSONError("half of a surrogate pair is no character", offset: place)
      }
      value = 0x10000 + (value - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
      end += 6
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw JSONError("half of a surrogate pair is no character", offset: place)
    }
    content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    return end
  }

  /// The four digits of the `\u` escape at `place`.
  private func hexUnit(at place: Int) throws(JSONError) -> UInt16 {
    guard place + 6 <= bytes.count else { throw JSONError("the string has no end", offset: place) }
    var unit: UInt16 = 0
    for digit in bytes[(place + 2)..<(place + 6)] {
      guard let value = ASCII.hexValue(digit) else {
        throw JSONError("\\u needs four hexadecimal digits", offset: place)
      }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  /// Reads the number that the cursor stands at.
  mutating func scanNumber() throws(JSONError) -> JSONNumber {
    let start = offset
    var end = offset
    if end < bytes.count, bytes[end] == UInt8(ascii: "-") { end += 1 }
    let firstDigit = end
    end = behindDigits(from: end)
    guard end > firstDigit else { throw JSONError("expected a number", offset: end) }
    guard end == firstDigit + 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
      throw JSONError("a number does not begin with 0", offset: firstDigit)
    }
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      let fraction = end + 1
      end = behindDigits(from: fraction)
      guard end > fraction else { throw JSONError("a digit must follow the decimal point", offset: end) }
    }
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      var exponent = end + 1
      if exponent < bytes.count, bytes[exponent] == UInt8(ascii: "+") || bytes[exponent] == UInt8(ascii: "-") {
        exponent += 1
      }
      end = behindDigits(from: exponent)
      guard end > exponent else { throw JSONError("a digit must follow the exponent's e", offset: end) }
    }
    offset = end
    return JSONNumber(validated: String(decoding: bytes[start..<end], as: UTF8.self))
  }

  private func behindDigits(from start: Int) -> Int {
    var end = start
    while end < bytes.count, ASCII.isDigit(bytes[end]) { end += 1 }
    return end
  }
}
