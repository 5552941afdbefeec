// An http or https URL that is sent exactly as it was written, and the origin of one.
// Parsed once at the door; nothing is decoded, re-encoded, or resolved (`.` and `..` stay), because object names may
// hold any of it (RFC 3986 section 3; libcurl is told `CURLOPT_PATH_AS_IS`).

/// Scheme, host and port: what a secret belongs to (RFC 6454 section 4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Sendable {
    case http
    case https

    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  package let scheme: Scheme
  /// Lower case; an IPv6 address keeps its brackets.
  package let host: String
  package let port: UInt16

  package init(scheme: Scheme, host: String, port: UInt16? = nil) {
    self.scheme = scheme
    self.host = host.utf8.contains { $0 &- 0x41 < 26 || $0 >= 0x80 } ? host.lowercased() : host
    self.port = port ?? scheme.defaultPort
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    left.port == right.port && left.scheme == right.scheme && left.host == right.host
  }

  /// Every exchange is found by its origin several times. The synthesized hash would take the scheme's name, too, which the
  /// port tells already.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(port)
    hasher.combine(host)
  }

  /// `https://host`, with the port when it is not the scheme's own.
  package var description: String {
    var text = ""
    append(to: &text)
    return text
  }

  /// Appends `description`. Piece by piece into one text, which is made in one allocation when its capacity was reserved;
  /// interpolating an enum would find its name by reflection (9,000 instructions).
  func append(to text: inout String, userInfo: String? = nil) {
    text += scheme == .http ? "http://" : "https://"
    if let userInfo {
      text += userInfo
      text += "@"
    }
    text += host
    guard port != scheme.defaultPort else { return }
    text += ":"
    text += String(port)
  }

  /// Whether the host names this machine, where plain http may carry credentials.
  package var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    // 127.0.0.0/8 in its plain form only: `127.example.org` is somebody else.
    guard host.hasPrefix("127.") else { return false }
    var parts = 1
    var value: Int?
    for byte in host.utf8 {
      if byte == UInt8(ascii: "."), value != nil {
        parts += 1
        value = nil
      } else if ASCII.isDigit(byte), (value ?? 0) <= 25 {
        value = (value ?? 0) * 10 + Int(byte &- 0x30)
        if let value, value > 255 { return false }
      } else {
        return false
      }
    }
    return parts == 4 && value != nil
  }
}

/// An absolute http(s) URL. Compared by its bytes.
///
/// It is one text and the places of its parts, behind one reference: every fact, request and outcome of an entry holds a
/// copy, and most URLs are printed as they are sent. Reading one is `HTTPURL+Parsing.swift`.
package struct HTTPURL: Sendable {
  private final class Parts: Sendable {
    let origin: Origin
    let userInfo: String?
    /// The whole URL as it is sent.
    let text: String
    /// Where the path begins in `text`, and where the `?` is or the text ends, in bytes.
    let pathStart: Int
    let pathEnd: Int

    init(_ origin: Origin, userInfo: String?, text: String, pathStart: Int, pathEnd: Int) {
      self.origin = origin
      self.userInfo = userInfo
      self.text = text
      self.pathStart = pathStart
      self.pathEnd = pathEnd
    }
  }

  private let parts: Parts

  package var origin: Origin { parts.origin }
  /// User information before the `@`, percent-encoded as written; a secret.
  package var userInfo: String? { parts.userInfo }
  /// Percent-encoded as written; begins with `/`.
  package var path: String { String(Substring(pathUTF8)) }
  /// The bytes of `path`, without a copy.
  package var pathUTF8: Substring.UTF8View { bytes(from: parts.pathStart, to: parts.pathEnd) }

  /// After the `?`, as written; nil when there is no `?`.
  package var query: String? {
    let end = parts.text.utf8.count
    return parts.pathEnd < end ? String(Substring(bytes(from: parts.pathEnd + 1, to: end))) : nil
  }

  /// Where the path begins in `wireText`, in bytes.
  package var pathStart: Int { parts.pathStart }

  package var hasQuery: Bool { parts.pathEnd < parts.text.utf8.count }

  /// The URL as it is sent, secrets included: for the wire only. `description` is for everything else.
  package var wireText: String { parts.text }

  /// Whether it can be sent as it stands: other letters are percent-encoded on the wire.
  package var isASCII: Bool {
    parts.text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } }
      ?? parts.text.utf8.allSatisfy { $0 < 0x80 }
  }

  package init(origin: Origin, userInfo: String? = nil, path: String, query: String? = nil) {
    var text = ""
    text.reserveCapacity(
      origin.host.utf8.count + (userInfo?.utf8.count ?? 0) + path.utf8.count + (query?.utf8.count ?? 0) + 17)
    origin.append(to: &text, userInfo: userInfo)
    let pathStart = text.utf8.count
    if path.utf8.first != UInt8(ascii: "/") { text += "/" }
    text += path
    let pathEnd = text.utf8.count
    if let query {
      text += "?"
      text += query
    }
    self.init(origin, userInfo: userInfo, text: text, pathStart: pathStart, pathEnd: pathEnd)
  }

  init(_ origin: Origin, userInfo: String?, text: String, pathStart: Int, pathEnd: Int) {
    parts = Parts(origin, userInfo: userInfo, text: text, pathStart: pathStart, pathEnd: pathEnd)
  }

  private func bytes(from start: Int, to end: Int) -> Substring.UTF8View {
    let bytes = parts.text.utf8
    let first = bytes.index(bytes.startIndex, offsetBy: start)
    return bytes[first..<bytes.index(first, offsetBy: end - start)]
  }
}

extension HTTPURL: Hashable {
  package static func == (left: HTTPURL, right: HTTPURL) -> Bool {
    left.parts === right.parts || left.parts.text.hasSameBytes(as: right.parts.text)
  }

  package func hash(into hasher: inout Hasher) { parts.text.hashBytes(into: &hasher) }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible {
  /// With every secret replaced (`RedactedURL`).
  package var description: String { RedactedURL(self).text }
  package var debugDescription: String { description }
}
