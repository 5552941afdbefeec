// Where a redirect may lead: pure. We follow redirects ourselves, because each hop's credentials, scheme and host are
// our business (RFC 9110 section 15.4).

package enum RedirectDecision: Hashable, Sendable {
  case follow(HTTPURL)
  case refuse(TransferFailure)

  package static let hopLimit = 10

  package static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// - Parameters:
  ///   - visited: every URL of this attempt so far, the first one first; never empty.
  ///   - location: the `Location` field of the last one's answer.
  ///   - allowedPlain: origins to which https may fall; usually empty.
  package static func decide(
    visited: [HTTPURL], status: Int, location: String?, allowedPlain: Set<Origin> = []
  ) -> RedirectDecision {
    guard let from = visited.last else { return .refuse(failure(.internalError, "no URL was asked", status)) }
    guard let location else {
      return .refuse(failure(.unexpectedStatus, "\(from) answered \(status) without a Location", status))
    }
    guard visited.count <= hopLimit else {
      return .refuse(failure(.tooManyRedirects, "\(visited[0]) was redirected more than \(hopLimit) times", status))
    }
    let target: HTTPURL
    do {
      target = try from.resolving(location)
    } catch {
      return .refuse(
        failure(.redirectRefused, "\(from) redirects to something that cannot be fetched: \(error.rawValue)", status))
    }
    if visited.contains(target) {
      return .refuse(failure(.tooManyRedirects, "\(visited[0]) is redirected in a circle, back to \(target)", status))
    }
    if from.origin.scheme == .https, target.origin.scheme == .http, !allowedPlain.contains(target.origin) {
      return .refuse(failure(.redirectRefused, "\(from) redirects from https to plain http, to \(target)", status))
    }
    return .follow(target)
  }

  private static func failure(_ reason: ReasonCode, _ message: String, _ status: Int) -> TransferFailure {
    TransferFailure(
      reason, .permanent, message, hint: "Put the final address into the manifest if it is the right one.",
      httpStatus: status)
  }
}

extension HTTPURL {
  /// Resolves a `Location`: absolute, or relative to this URL (RFC 3986 section 5.2). User information is never taken
  /// over, neither from here nor from the location.
  package func resolving(_ reference: String) throws(Violation) -> HTTPURL {
    if Self.hasScheme(reference) {
      let absolute = try HTTPURL(parsing: reference)
      return HTTPURL(origin: absolute.origin, path: absolute.path, query: absolute.query)
    }
    if reference.hasPrefix("//") {
      let absolute = try HTTPURL(parsing: "\(origin.scheme.rawValue):\(reference)")
      return HTTPURL(origin: absolute.origin, path: absolute.path, query: absolute.query)
    }
    let base = "\(origin.scheme.rawValue)://\(origin.host):\(origin.port)"
    if reference.hasPrefix("/") {
      let absolute = try HTTPURL(parsing: base + reference)
      return HTTPURL(origin: origin, path: absolute.path, query: absolute.query)
    }
    if reference.isEmpty || reference.hasPrefix("?") || reference.hasPrefix("#") {
      let absolute = try HTTPURL(parsing: base + path + reference)
      return HTTPURL(origin: origin, path: path, query: reference.hasPrefix("?") ? absolute.query : query)
    }
    let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    let absolute = try HTTPURL(parsing: base + directory + reference)
    return HTTPURL(origin: origin, path: Self.removingDotSegments(absolute.path), query: absolute.query)
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return false }
    return text[..<colon].utf8.allSatisfy { byte in
      (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x2B || byte == 0x2D
        || byte == 0x2E
    }
  }

  private static func removingDotSegments(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
