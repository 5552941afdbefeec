// The one thing that stands before every sink of text: log, report, state, error, plan. URLs that are known as such are
// printed by `RedactedURL`; this is for free text, such as what a server said.

/// Replaces secrets in texts by `REDACTED`: those it was told, in the spellings in which they travel, and whatever looks
/// like one (`SecretPatterns`).
///
/// Not guaranteed: secrets of fewer than four bytes are not searched for, they would make every text unreadable; and a secret
/// that was transformed by someone else (hashed, encrypted, cut) is not found by its value.
package struct Redactor: Sendable {
  package static let mark = "REDACTED"

  /// By first byte, longest first: a longer spelling must not be cut short by a shorter one inside it.
  private var needles: [[[UInt8]]] = Array(repeating: [], count: 256)

  /// Looks for patterns only, until secrets are added.
  package init(secrets: [String] = []) {
    for secret in secrets { add(secret) }
  }

  /// From now on this value is replaced: raw, percent-encoded, escaped as in JSON, and in base64, also in the middle of a
  /// longer base64 text. Of a secret with several lines (a private key) each line counts.
  package mutating func add(_ secret: String) {
    let lines = secret.split(whereSeparator: \.isNewline).map { ASCII.trimmed($0) }
    for text in Set([secret, String(ASCII.trimmed(Substring(secret)))] + lines.map { String($0) }) {
      guard text.utf8.count >= Self.shortestSecret else { continue }
      for spelling in Self.spellings(of: text) { insert(spelling) }
    }
  }

  private static let shortestSecret = 4
  /// In base64, shorter pieces could be part of any text.
  private static let shortestBase64 = 10

  /// The text without its secrets.
  package func redact(_ text: String) -> String {
    var copy = text
    let bytes = copy.withUTF8 { Array($0) }
    return String(decoding: SecretPatterns.redact(withoutNeedles(bytes)), as: UTF8.self)
  }

  /// As `redact` for text that may not be UTF-8, cut to `limit` bytes; broken bytes become U+FFFD. What is cut off is looked
  /// at too, so that a secret across the cut is not left half.
  package func redact(_ bytes: [UInt8], limit: Int) -> String {
    let slack = 4_096
    let clean = SecretPatterns.redact(withoutNeedles(Array(bytes.prefix(limit + slack))))
    var end = min(limit, clean.count)
    while end > 0, end < clean.count, clean[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: clean[..<end], as: UTF8.self)
  }

  private func withoutNeedles(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if let needle = needles[Int(bytes[index])].first(where: { rest.starts(with: $0) }) {
        result.append(contentsOf: Self.mark.utf8)
        index += needle.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  private mutating func insert(_ needle: [UInt8]) {
    guard let first = needle.first, !needles[Int(first)].contains(needle) else { return }
    needles[Int(first)].append(needle)
    needles[Int(first)].sort { $0.count > $1.count }
  }

  private static func spellings(of secret: String) -> [[UInt8]] {
    let raw = Array(secret.utf8)
    var json = JSONWriter()
    json.string(secret)
    var spellings = [raw, Array(json.bytes.dropFirst().dropLast())]
    for form in [PercentEncoding.Form.strict, .firebase] {
      let escaped = PercentEncoding.encode(secret, as: form)
      spellings.append(Array(escaped.utf8))
      spellings.append(lowerCaseEscapes(escaped))
    }
    // A secret inside a longer text lies at one of three places of a base64 group; symbols that it shares with its
    // neighbours are left out.
    for shift in 0..<3 {
      let encoded = Base64.encode([UInt8](repeating: 0, count: shift) + raw).utf8.filter { $0 != UInt8(ascii: "=") }
      let isSharedAtEnd = (shift + raw.count) % 3 != 0
      let middle = encoded.dropFirst([0, 2, 3][shift]).dropLast(isSharedAtEnd ? 1 : 0)
      guard middle.count >= shortestBase64 else { continue }
      spellings.append(Array(middle))
      spellings.append(
        middle.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 })
    }
    return spellings
  }

  private static func lowerCaseEscapes(_ escaped: String) -> [UInt8] {
    var digitsLeft = 0
    return escaped.utf8.map { byte in
      if byte == UInt8(ascii: "%") {
        digitsLeft = 2
        return byte
      }
      defer { digitsLeft -= 1 }
      return digitsLeft > 0 ? ASCII.lowercased(byte) : byte
    }
  }
}
