// A URL as it may be printed.

/// A URL without its secrets: user information and the values of every query parameter are replaced by `REDACTED`; scheme,
/// host, path and parameter names stay, so that a report still says what was asked for.
///
/// Parameters that name a version or a form (`alt`, `generation`, `prefix`, `delimiter`, `pageToken`, …) are harmless
/// and kept. Anything unknown counts as a secret: signed URLs come in too many spellings to list those that are.
package struct RedactedURL: Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package var description: String { text }

  package init(_ url: HTTPURL) {
    var text = url.origin.description
    if url.userInfo != nil { text = "\(url.origin.scheme.rawValue)://REDACTED@" + text.dropFirst(url.origin.scheme.rawValue.utf8.count + 3) }
    text += url.path
    if let query = url.query { text += "?" + Self.redact(query) }
    self.text = text
  }

  private static let harmless: Set<String> = [
    "alt", "generation", "prefix", "delimiter", "maxResults", "fields", "projection", "prettyPrint", "versions",
    "ifGenerationMatch", "ifGenerationNotMatch", "startOffset", "endOffset",
  ]

  private static func redact(_ query: String) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return pair.isEmpty ? "" : "REDACTED" }
      let name = pair[..<equals]
      return harmless.contains(String(name)) ? String(pair) : "\(name)=REDACTED"
    }.joined(separator: "&")
  }
}
