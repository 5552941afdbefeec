// Which addresses a credential file may send its secrets to. A file says where its token service is, so a file that was
// tampered with could send the key's owner elsewhere.

package import TransferModel

/// Google's own hosts, and those that the manifest names.
package struct TokenTrust: Hashable, Sendable {
  /// Allowed beside Google's: exact origins, http on this machine only.
  package var origins: Set<Origin>

  package init(origins: Set<Origin> = []) { self.origins = origins }

  /// Whether a Google token or key may go there: https at `*.googleapis.com`, or an origin that was named.
  package func allows(_ origin: Origin) -> Bool {
    if origins.contains(origin) { return origin.scheme == .https || origin.isLoopback }
    return Self.isGoogle(origin) || origin == Self.oldTokenOrigin
  }

  package static func isGoogle(_ origin: Origin) -> Bool {
    origin.scheme == .https && origin.port == 443 && origin.host.hasSuffix(".googleapis.com")
  }

  /// Keys from before 2018 name it.
  private static let oldTokenOrigin = Origin(scheme: .https, host: "accounts.google.com")
}
