// The target of a request line, taken apart but never rewritten. Which object it means is `Route`.

import TransferModel

/// A request target: path segments and query parameters, each decoded once; the raw text stays for the log.
package struct RequestTarget: Sendable {
  /// As it was sent.
  package let raw: String
  /// The raw path, from its first slash.
  let path: Substring
  /// Names and values in order; a parameter that cannot be decoded is left out.
  let parameters: [(name: String, value: String)]

  init(_ raw: String) {
    self.raw = raw
    var rest = Substring(raw)
    for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) {
      // Absolute form, as a client sends it to a proxy (RFC 9112 section 3.2.2).
      let authority = rest.dropFirst(scheme.utf8.count)
      rest = authority.firstIndex(of: "/").map { authority[$0...] } ?? "/"
    }
    guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      path = rest
      parameters = []
      return
    }
    path = rest[..<mark]
    let query = rest[rest.utf8.index(after: mark)...]
    parameters = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { part in
      let pair = Substring(part)
      let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let value = equals == pair.endIndex ? "" : pair[pair.utf8.index(after: equals)...]
      guard let name = Self.formDecoded(pair[..<equals]), let text = Self.formDecoded(value) else { return nil }
      return (name, text)
    }
  }

  /// Google's front end reads a `+` in a query as a blank.
  private static func formDecoded(_ text: Substring) -> String? {
    let plain =
      text.utf8.contains(UInt8(ascii: "+"))
      ? String(decoding: text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self) : String(text)
    return PercentEncoding.decode(plain)
  }

  /// The first value of a query parameter.
  subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter }?.value
  }

  /// Whether a parameter says `true`.
  func flag(_ parameter: String) -> Bool { self[parameter] == "true" }
}
