// The seam through which credentials reach a request, at the moment it is sent and bound to its origin.

/// Gives the secret header fields for a URL. Called on transport threads at send time, so that a token that was renewed
/// while the request waited is the one that is sent. Never blocks.
package protocol RequestAuthorizer: Sendable {
  /// The fields for exactly this origin, or that they must be fetched first by `renew`.
  func authorization(for url: HTTPURL) -> RequestAuthorization

  /// Fetches or renews the credential of the URL's origin; calls that overlap share one renewal. `refused` is what was
  /// sent when the server answered 401, nil when nothing was. `completion` runs once, on any thread.
  func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void)
}

package enum RequestAuthorization: Sendable {
  /// Nothing is bound to this origin.
  case none
  case ready(HTTPFields)
  case mustRenew
}

/// Sends nothing secret, anywhere.
package struct AnonymousAuthorizer: RequestAuthorizer {
  package init() {}

  package func authorization(for url: HTTPURL) -> RequestAuthorization { .none }

  package func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    completion(nil)
  }
}
