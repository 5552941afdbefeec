// An http or https URL that is sent exactly as it was written.
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
    self.host = host.lowercased()
    self.port = port ?? scheme.defaultPort
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
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0].elementsEqual("127".utf8)
      && parts.allSatisfy { part in ASCII.number(part).map { $0 <= 255 } ?? false }
  }
}

/// An absolute http(s) URL. Compared by its bytes.
package struct HTTPURL: Sendable {
  package let origin: Origin
  /// User information before the `@`, percent-encoded as written; a secret.
  package let userInfo: String?
  /// Percent-encoded as written; begins with `/`.
  package let path: String
  /// After the `?`, as written; nil when there is no `?`.
  package let query: String?

  package init(origin: Origin, userInfo: String? = nil, path: String, query: String? = nil) {
    self.origin = origin
    self.userInfo = userInfo
    self.path = path.hasPrefix("/") ? path : "/" + path
    self.query = query
  }

  /// Why a text is no http(s) URL.
  package enum Violation: String, Error, Sendable {
    case noScheme = "a URL begins with http:// or https://"
    case unsupportedScheme = "only http and https URLs can be fetched"
    case emptyHost = "the URL has no host"
    case badUserInfo =
      "the part before the host's @ has a character that must be percent-encoded (@ is %40, : in a name %3A)"
    case badHost = "the host has a character that no host name has"
    case badPort = "the port is not a number from 1 to 65535"
    case badCharacter = "the URL has a blank or a control character; write it percent-encoded (a space is %20)"
  }

  /// Reads an absolute URL; a fragment is dropped, as it is never sent (RFC 9110 section 7.1).
  package init(parsing text: String) throws(Violation) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[colon...].starts(with: "://".utf8) else {
      throw .noScheme
    }
    guard let scheme = Origin.Scheme(rawValue: text[..<colon].lowercased()) else { throw .unsupportedScheme }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .badCharacter }
    var rest = text[text.utf8.index(colon, offsetBy: 3)...]
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
    let authorityEnd =
      rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    var authority = rest[..<authorityEnd]
    rest = rest[authorityEnd...]
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      // Parsers disagree about which of two `@` ends it, and about `\`: a secret must not depend on that.
      let information = authority[..<at]
      guard !information.utf8.contains(where: { "@\\[]".utf8.contains($0) }) else { throw .badUserInfo }
      userInfo = String(information)
      authority = authority[authority.utf8.index(after: at)...]
    } else {
      userInfo = nil
    }
    let (host, port) = try Self.hostAndPort(authority)
    origin = Origin(scheme: scheme, host: host, port: port)
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    } else {
      query = nil
    }
    path = rest.isEmpty ? "/" : String(rest)
  }

  private static func hostAndPort(_ authority: Substring) throws(Violation) -> (String, UInt16?) {
    var host = authority
    var port: UInt16?
    guard authority.utf8.first != UInt8(ascii: "[") || authority.utf8.contains(UInt8(ascii: "]")) else {
      throw .badHost
    }
    let searchFrom = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority[searchFrom...].utf8.firstIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      let digits = authority[authority.utf8.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(digits), number > 0 else {
          throw .badPort
        }
        port = number
      }
    }
    guard !host.isEmpty, !host.utf8.elementsEqual("[]".utf8) else { throw .emptyHost }
    let bracketed = host.utf8.first == UInt8(ascii: "[")
    let allowed = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
        bracketed
      default:
        byte >= 0x80
      }
    }
    guard allowed, bracketed == (host.utf8.last == UInt8(ascii: "]")) else { throw .badHost }
    return (String(host), port)
  }

  /// The URL as it is sent, secrets included: for the wire only. `description` is for everything else.
  package var wireText: String {
    var text = ""
    text.reserveCapacity(
      origin.host.utf8.count + (userInfo?.utf8.count ?? 0) + path.utf8.count + (query?.utf8.count ?? 0) + 16)
    origin.append(to: &text, userInfo: userInfo)
    text += path
    if let query {
      text += "?"
      text += query
    }
    return text
  }
}

extension HTTPURL: Hashable {
  package static func == (left: HTTPURL, right: HTTPURL) -> Bool {
    left.origin == right.origin && left.path.hasSameBytes(as: right.path) && left.query.hasSameBytes(as: right.query)
      && left.userInfo.hasSameBytes(as: right.userInfo)
  }

  package func hash(into hasher: inout Hasher) {
    origin.hash(into: &hasher)
    path.hashBytes(into: &hasher)
  }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible {
  /// With every secret replaced (`RedactedURL`).
  package var description: String { RedactedURL(self).text }
  package var debugDescription: String { description }
}
