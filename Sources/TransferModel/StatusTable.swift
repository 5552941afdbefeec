// What an HTTP status means for us, where it is no success: one table.

/// Turns a status into a failure. Body text refines it elsewhere; the class never depends on a message.
///
/// | status | reason | class |
/// | --- | --- | --- |
/// | one of the policy's (408, 429, 500, 502, 503, 504) | `throttled` for 429, else `server_error` | throttled when Retry-After is there or it is 429, else transient |
/// | 400, 405, 406, 411, 413, 414, 415, 422, 431 | `invalid_request` | permanent |
/// | 401 | `unauthenticated` | unauthenticated |
/// | 402 | `quota_exceeded` | permanent |
/// | 403, 451 | `unauthorized` | permanent; throttled where Google names a rate limit (`isRateLimit`) |
/// | 404, 410 | `not_found` | permanent |
/// | 407 | `proxy` | permanent |
/// | 409 | `conflict` | permanent |
/// | 412 | `precondition_failed` | permanent |
/// | 416 | `range_not_satisfiable` | permanent |
/// | other 5xx | `server_error` | permanent: 501 and 505 never change, and the rest was taken off the policy's list |
/// | anything else (204, 206 unasked, 3xx without Location …) | `unexpected_status` | permanent |
package enum StatusTable {
  /// - Parameters:
  ///   - place: what was asked for, redacted.
  ///   - retryAfter: the wait that the response names.
  ///   - isRateLimit: Google's 403 with reason `rateLimitExceeded` or `userRateLimitExceeded`.
  package static func failure(
    status: Int, place: String, policy: RetryPolicy, retryAfter: Duration? = nil, isRateLimit: Bool = false,
    serverMessage: String? = nil
  ) -> TransferFailure {
    let (reason, failureClass) = classify(status, policy: policy, retryAfter: retryAfter, isRateLimit: isRateLimit)
    var message = "\(place) answered \(status)"
    if let phrase = phrases[status] { message += " \(phrase)" }
    if let serverMessage, !serverMessage.isEmpty, !repeats(phrases[status], serverMessage) {
      message += ": \(serverMessage)"
    }
    return TransferFailure(reason, failureClass, message, hint: hints[reason], httpStatus: status)
  }

  /// Whether the server says no more than the status does.
  private static func repeats(_ phrase: String?, _ message: String) -> Bool {
    guard let phrase else { return false }
    let words = message.last == "." ? message.dropLast() : message[...]
    return words.lowercased() == phrase.lowercased()
  }

  private static func classify(
    _ status: Int, policy: RetryPolicy, retryAfter: Duration?, isRateLimit: Bool
  ) -> (ReasonCode, FailureClass) {
    if policy.statuses.contains(status) {
      if status == 429 { return (.throttled, .throttled(wait: retryAfter)) }
      return (.serverError, retryAfter.map { .throttled(wait: $0) } ?? .transient)
    }
    switch status {
    case 400, 405, 406, 411, 413, 414, 415, 422, 431: return (.invalidRequest, .permanent)
    case 401: return (.unauthenticated, .unauthenticated)
    case 402: return (.quotaExceeded, .permanent)
    case 403, 451: return isRateLimit ? (.throttled, .throttled(wait: retryAfter)) : (.unauthorized, .permanent)
    case 404, 410: return (.notFound, .permanent)
    case 407: return (.proxy, .permanent)
    case 409: return (.conflict, .permanent)
    case 412: return (.preconditionFailed, .permanent)
    case 416: return (.rangeNotSatisfiable, .permanent)
    case 429: return (.throttled, .permanent)
    case 500...599: return (.serverError, .permanent)
    default: return (.unexpectedStatus, .permanent)
    }
  }

  private static let phrases: [Int: String] = [
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
    410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
  ]

  private static let hints: [ReasonCode: String] = [
    .notFound: "Check the reference; names are case-sensitive and compared byte by byte.",
    .unauthorized:
      "Check what whoever asks may do with this object: the identity under `auth:`, or anyone at all when there is none.",
    .unauthenticated:
      "Give a credential for this host under `auth:` of the manifest (get, stat and ls take it by --manifest FILE), or check "
      + "that the one given is still valid.",
    .quotaExceeded: "The project's quota is used up: see its usage in the console.",
    .proxy: "Check the proxy that HTTP_PROXY or HTTPS_PROXY names, and its credentials.",
    .throttled: "Lower `limits: {jobs: …}` or `per_host:` if this happens often.",
  ]
}
