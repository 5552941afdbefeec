// What a server says when it refuses: JSON of either API, XML, HTML of a proxy, plain text, or nothing. Only read here; what
// follows from it is decided from status and reason, never from the wording.

package import TransferModel

/// The words of an error answer, bounded and without secrets.
package struct ServiceError: Hashable, Sendable {
  package let status: Int
  /// The machine's word: `notFound`, `rateLimitExceeded`, `PERMISSION_DENIED`, `NoSuchKey`; nil when there is none.
  package let reason: String?
  /// One line for people, at most 500 bytes; nil when nothing was said.
  package let message: String?
  /// The body as it came, at most 2 KiB; nil when it was empty.
  package let body: String?

  /// No more of an error body needs to be kept than this.
  package static let longestBody = 65_536

  package init(status: Int, body bytes: [UInt8], redactor: Redactor = Redactor()) {
    let bounded = Array(bytes.prefix(Self.longestBody))
    let words = Self.words(of: bounded)
    self.status = status
    reason = words.reason.map { redactor.redact(Array($0.utf8), limit: 100) }
    message = words.message.map { redactor.redact(Array(Self.oneLine($0).utf8), limit: 500) }
      .flatMap { $0.isEmpty ? nil : $0 }
    body = bounded.isEmpty ? nil : redactor.redact(bounded, limit: 2_048)
  }

  /// A 403 that means "too fast" and not "never" (Google's JSON API).
  package var isRateLimit: Bool {
    status == 403 && (reason == "rateLimitExceeded" || reason == "userRateLimitExceeded")
  }
}

extension ServiceError {
  private typealias Words = (reason: String?, message: String?)

  private static func words(of bytes: [UInt8]) -> Words {
    if let json = try? JSONValue(parsing: bytes), json.members != nil { return words(of: json) }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "<")) else { return (nil, text) }
    if let code = element("Code", in: text) {
      let details = [element("Message", in: text), element("Details", in: text)].compactMap { $0 }
      return (code, details.isEmpty ? nil : details.joined(separator: " "))
    }
    return (nil, element("title", in: text) ?? element("h1", in: text) ?? withoutTags(text))
  }

  /// `{"error":{"code","message","status","errors":[{"reason"}]}}` of the storage services, `{"error","error_description"}` of
  /// OAuth.
  private static func words(of json: JSONValue) -> Words {
    guard let error = json["error"] else { return (nil, json["message"]?.string) }
    if let code = error.string { return (code, json["error_description"]?.string ?? code) }
    let first = error["errors"]?.array?.first
    return (
      first?["reason"]?.string ?? error["status"]?.string,
      error["message"]?.string ?? first?["message"]?.string
    )
  }

  /// The text of the first element of that name, names in any case; nil when there is none or it is empty.
  private static func element(_ name: String, in text: String) -> String? {
    let bytes = Array(text.utf8)
    guard let open = tagEnd(name, in: bytes, from: 0) else { return nil }
    let content = bytes[open...].prefix { $0 != UInt8(ascii: "<") }
    let plain = ASCII.trimmed(Substring(String(decoding: content, as: UTF8.self)))
    return plain.isEmpty ? nil : withoutEntities(String(plain))
  }

  /// The place behind `<name …>`.
  private static func tagEnd(_ name: String, in bytes: [UInt8], from start: Int) -> Int? {
    for index in bytes.indices.dropFirst(start) where bytes[index] == UInt8(ascii: "<") {
      let found = bytes[(index + 1)...].prefix(name.utf8.count)
      let behind = index + 1 + name.utf8.count
      guard ASCII.equalIgnoringCase(found, name.utf8), behind < bytes.count,
        bytes[behind] == UInt8(ascii: ">") || ASCII.isBlank(bytes[behind])
      else { continue }
      return bytes[behind...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
    }
    return nil
  }

  private static func withoutTags(_ text: String) -> String {
    var depth = 0
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"):
        depth += 1
        result.append(0x20)
      case UInt8(ascii: ">"): depth = max(0, depth - 1)
      default: if depth == 0 { result.append(byte) }
      }
    }
    return withoutEntities(String(decoding: result, as: UTF8.self))
  }

  private static func withoutEntities(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")]
    return entities.reduce(text) { replacing($1.0, with: $1.1, in: $0) }
  }

  private static func replacing(_ old: String, with new: String, in text: String) -> String {
    var result: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.first {
      if rest.starts(with: old.utf8) {
        result += Array(new.utf8)
        rest = rest.dropFirst(old.utf8.count)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Control characters and runs of blanks become one space.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split { $0.value <= 0x20 || (0x7F...0xA0).contains($0.value) || $0.value == 0x2028 }
      .map { String($0) }.joined(separator: " ")
  }
}
