// A URL as it may be printed. Free text goes through `Redactor`.

/// A URL without its secrets: user information and the values of query parameters are replaced by `REDACTED`; scheme, host,
/// path and parameter names stay, so that a report still says what was asked for.
///
/// Parameters that name a version or a form (`alt`, `generation`, `prefix`, `pageToken`, …) are harmless and kept. Anything
/// unknown counts as a secret: signed URLs come in too many spellings to list those that are.
package struct RedactedURL: Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package var description: String { text }

  package init(_ url: HTTPURL) {
    guard url.hasQuery || url.userInfo != nil else {
      text = url.wireText
      return
    }
    let shown = HTTPURL(
      origin: url.origin, userInfo: url.userInfo.map { _ in "REDACTED" }, path: url.path,
      query: url.query.map(Self.redact))
    text = shown.wireText
  }

  private static let harmless: Set<String> = [
    "alt", "generation", "prefix", "delimiter", "maxResults", "pageToken", "fields", "projection", "prettyPrint",
    "versions", "softDeleted", "matchGlob", "includeTrailingDelimiter", "startOffset", "endOffset", "userProject",
    "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
    // What is left of a signed URL still tells when it expired.
    "X-Goog-Algorithm", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders",
  ]

  /// What is secret about a URL, as written and decoded, for texts of others in which it may come back. Values of fewer
  /// than eight bytes are left out: they would be found in any text.
  package static func secrets(of url: HTTPURL) -> [String] {
    var values: [Substring] = []
    if let information = url.userInfo {
      values.append(information[...])
      if let colon = information.firstIndex(of: ":") { values.append(information[colon...].dropFirst()) }
    }
    for pair in url.query?.split(separator: "&") ?? [] {
      let name = pair.prefix { $0 != "=" }
      if !harmless.contains(String(name)) {
        values.append(name.count < pair.count ? pair.dropFirst(name.count + 1) : pair)
      }
    }
    return values.flatMap { value in [String(value), PercentEncoding.decode(value) ?? ""] }
      .filter { $0.utf8.count >= 8 }
  }

  private static func redact(_ query: String) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return pair.isEmpty ? "" : "REDACTED" }
      let name = pair[..<equals]
      let value = pair[pair.index(after: equals)...]
      let isKept = harmless.contains(String(name)) && value.utf8.allSatisfy(isPlain)
      return isKept ? String(pair) : "\(printable(name))=REDACTED"
    }.joined(separator: "&")
  }

  /// A name may hold `;` or `?` only because a second query hides in it.
  private static func printable(_ name: Substring) -> String {
    name.utf8.allSatisfy(isPlain) ? String(name) : "REDACTED"
  }

  /// Bytes that cannot begin another parameter, whatever the server takes for a separator.
  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 || "-._~%/(),:*!+".utf8.contains(byte)
  }
}
