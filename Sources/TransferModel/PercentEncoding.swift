// Percent-encoding of names in URLs, and the strict way back (RFC 3986 section 2.1).
// Not for whole URLs: those are sent as they were written (`HTTPURL`).

/// Escapes single parts of a URL. All of it works on UTF-8 bytes; nothing is normalised.
package enum PercentEncoding {
  /// Which bytes stay as they are; the rest becomes `%XX` in upper case.
  package enum Form: Sendable {
    /// Letters, digits and `- . _ ~` (RFC 3986 section 2.3): right in every place of a URL. What Google's JSON API is
    /// sent, and every query value, so that no blank or `+` is ever left to interpretation.
    case strict
    /// Besides those `! $ ' ( ) * , = : @`, as the Firebase SDK leaves them in its one path segment for a name.
    case firebase
  }

  /// One path segment, or one query value: `/` is escaped too.
  package static func encode(_ text: String, as form: Form = .strict) -> String {
    var copy = text
    return copy.withUTF8 { encode($0, as: form) }
  }

  /// As `encode(_:as:)` for bytes that need not be UTF-8.
  package static func encode(_ bytes: some Collection<UInt8>, as form: Form = .strict) -> String {
    let kept = form == .strict ? unreserved : firebaseKept
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 2)
    for byte in bytes {
      if kept[Int(byte)] {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(upperHexDigits[Int(byte >> 4)])
        result.append(upperHexDigits[Int(byte & 15)])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The text with every escape replaced by its byte, exactly once; `+` stays `+`. nil when a `%` is not followed by two
  /// hexadecimal digits, or when the bytes are not UTF-8.
  package static func decode(_ text: some StringProtocol) -> String? {
    guard let bytes = decodeBytes(text.utf8) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// As `decode` for bytes that need not be UTF-8.
  package static func decodeBytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.underestimatedCount)
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = iterator.next().flatMap(ASCII.hexValue), let low = iterator.next().flatMap(ASCII.hexValue)
      else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  private static let upperHexDigits: [UInt8] = Array("0123456789ABCDEF".utf8)

  private static let unreserved: [Bool] = table(extra: "")
  private static let firebaseKept: [Bool] = table(extra: "!$'()*,=:@")

  private static func table(extra: StaticString) -> [Bool] {
    var kept = [Bool](repeating: false, count: 256)
    for byte in UInt8.min...UInt8.max {
      kept[Int(byte)] = ASCII.isLetter(byte) || ASCII.isDigit(byte)
    }
    for byte in "-._~".utf8 { kept[Int(byte)] = true }
    for byte in "\(extra)".utf8 { kept[Int(byte)] = true }
    return kept
  }
}
