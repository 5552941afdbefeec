// Reads an absolute http(s) URL: where its parts are, and what makes it none (RFC 3986 sections 3.1 to 3.3).

import Glibc

extension HTTPURL {
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
    var copy = text
    let layout = try copy.withUTF8 { bytes in Result { () throws(Violation) in try URLLayout(bytes) } }.get()
    let origin = Origin(scheme: layout.scheme, host: copy.piece(layout.host), port: layout.port)
    let userInfo = layout.userInfo.map { copy.piece($0) }
    // Nearly always the text is what is sent, and can be kept.
    if layout.isCanonical, origin.host.utf8.count == layout.host.count {
      self.init(
        origin, userInfo: userInfo, text: copy, pathStart: layout.path.lowerBound, pathEnd: layout.path.upperBound)
    } else {
      self.init(
        origin: origin, userInfo: userInfo, path: copy.piece(layout.path), query: layout.query.map { copy.piece($0) })
    }
  }
}

extension HTTPURL {
  /// As `init(parsing:)`; faster where the text begins as `neighbour` does, up to the path: then only the rest is read, and
  /// both have one origin in memory. The URLs of a list mostly do.
  package init(parsing text: String, near neighbour: HTTPURL?) throws(Violation) {
    if let neighbour, let url = neighbour.sibling(text) {
      self = url
    } else {
      try self.init(parsing: text)
    }
  }

  /// Path and query of a text that begins as this URL does, up to the path, and is a URL as it stands; nil when it has to
  /// be looked at.
  package func rest(ofSibling text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    pathEnd(ofSibling: text).map { _ in UnsafeBufferPointer(rebasing: text[pathStart...]) }
  }

  /// nil when the texts differ before the path, or the rest is not plain.
  private func sibling(_ text: String) -> HTTPURL? {
    let found: Int?? = text.utf8.withContiguousStorageIfAvailable { pathEnd(ofSibling: $0) }
    return (found ?? nil).map { HTTPURL(origin, userInfo: nil, text: text, pathStart: pathStart, pathEnd: $0) }
  }

  private func pathEnd(ofSibling text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard userInfo == nil else { return nil }
    let found: Int?? = wireText.utf8.withContiguousStorageIfAvailable { mine in
      Self.pathEnd(of: text, sharing: mine[..<(pathStart + 1)])
    }
    return found ?? nil
  }

  /// `start` ends in the path's slash.
  private static func pathEnd(
    of bytes: UnsafeBufferPointer<UInt8>, sharing start: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Int? {
    guard let mine = bytes.baseAddress, let theirs = UnsafeBufferPointer(rebasing: start).baseAddress,
      bytes.count >= start.count, memcmp(mine, theirs, start.count) == 0
    else { return nil }
    var mark: Int?
    for place in start.count..<bytes.count {
      let byte = bytes[place]
      guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "#") else { return nil }
      if byte == UInt8(ascii: "?"), mark == nil { mark = place }
    }
    return mark ?? bytes.count
  }
}

extension String {
  fileprivate func piece(_ range: Range<Int>) -> String {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    return String(Substring(utf8[start..<utf8.index(start, offsetBy: range.count)]))
  }
}

/// Where the parts of a URL are, as offsets of bytes.
private struct URLLayout {
  var scheme: Origin.Scheme
  var userInfo: Range<Int>?
  var host = 0..<0
  var port: UInt16?
  var path: Range<Int>
  /// Behind the `?`.
  var query: Range<Int>?
  /// Whether the URL would be written just so: scheme and host in lower case, no port that goes without saying, a path,
  /// no fragment.
  var isCanonical = true

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(HTTPURL.Violation) {
    let start: Int
    (scheme, start) = try Self.scheme(bytes)
    var end = bytes.count
    var authorityEnd: Int?
    var mark: Int?
    for place in bytes.indices {
      let byte = bytes[place]
      guard byte > 0x20, byte != 0x7F else { throw .badCharacter }
      guard place >= start, end == bytes.count else { continue }
      switch byte {
      case UInt8(ascii: "#"): end = place
      case UInt8(ascii: "/"): authorityEnd = authorityEnd ?? place
      case UInt8(ascii: "?"):
        authorityEnd = authorityEnd ?? place
        mark = mark ?? place
      default: break
      }
    }
    path = (authorityEnd ?? end)..<(mark ?? end)
    if let mark { query = mark + 1..<end }
    isCanonical = end == bytes.count && !path.isEmpty
    try readAuthority(bytes, start..<(authorityEnd ?? end))
    if bytes[..<host.upperBound].contains(where: { $0 &- 0x41 < 26 || $0 >= 0x80 }) { isCanonical = false }
  }

  private static func scheme(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(HTTPURL.Violation) -> (Origin.Scheme, start: Int) {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count >= colon + 3,
      bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
    else { throw .noScheme }
    let isHTTP = colon == 4 || (colon == 5 && ASCII.lowercased(bytes[4]) == UInt8(ascii: "s"))
    guard isHTTP, ASCII.lowercased(bytes[0]) == UInt8(ascii: "h"), ASCII.lowercased(bytes[1]) == UInt8(ascii: "t"),
      ASCII.lowercased(bytes[2]) == UInt8(ascii: "t"), ASCII.lowercased(bytes[3]) == UInt8(ascii: "p")
    else { throw .unsupportedScheme }
    return (colon == 4 ? .http : .https, colon + 3)
  }

  private mutating func readAuthority(
    _ bytes: UnsafeBufferPointer<UInt8>, _ whole: Range<Int>
  ) throws(HTTPURL.Violation) {
    var authority = whole
    if let at = bytes[whole].lastIndex(of: UInt8(ascii: "@")) {
      // Parsers disagree about which of two `@` ends it, and about `\`: a secret must not depend on that.
      let information = whole.lowerBound..<at
      guard !bytes[information].contains(where: { "@\\[]".utf8.contains($0) }) else { throw .badUserInfo }
      userInfo = information
      authority = at + 1..<whole.upperBound
    }
    let bracket = bytes[authority].lastIndex(of: UInt8(ascii: "]"))
    let isBracketed = !authority.isEmpty && bytes[authority.lowerBound] == UInt8(ascii: "[")
    guard !isBracketed || bracket != nil else { throw .badHost }
    host = authority
    if let colon = bytes[(bracket ?? authority.lowerBound)..<authority.upperBound].firstIndex(of: UInt8(ascii: ":")) {
      host = authority.lowerBound..<colon
      port = try readPort(bytes[(colon + 1)..<authority.upperBound])
    }
    guard !host.isEmpty, !bytes[host].elementsEqual("[]".utf8) else { throw .emptyHost }
    guard bytes[host].allSatisfy({ Self.isHostByte($0, bracketed: isBracketed) }),
      isBracketed == (bytes[host.upperBound - 1] == UInt8(ascii: "]"))
    else { throw .badHost }
  }

  /// nil when no digit follows the colon.
  private mutating func readPort(_ digits: Slice<UnsafeBufferPointer<UInt8>>) throws(HTTPURL.Violation) -> UInt16? {
    guard !digits.isEmpty else {
      isCanonical = false
      return nil
    }
    guard let number = ASCII.number(digits), let port = UInt16(exactly: number), port > 0 else { throw .badPort }
    if port == scheme.defaultPort || digits.first == UInt8(ascii: "0") { isCanonical = false }
    return port
  }

  private static func isHostByte(_ byte: UInt8, bracketed: Bool) -> Bool {
    if ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 { return true }
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): return true
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"): return bracketed
    default: return false
    }
  }
}
