// Header fields that belong to one origin each and are sent nowhere else.

package import TransferModel

/// One secret header of one origin, by reference.
package struct OriginHeader: Hashable, Sendable {
  package var origin: Origin
  package var name: String
  /// Put before the secret, for example `Bearer `.
  package var prefix: String
  package var source: SecretSource

  package init(origin: Origin, name: String, prefix: String = "", source: SecretSource) {
    self.origin = origin
    self.name = name
    self.prefix = prefix
    self.source = source
  }
}

/// Sends fixed secrets, each to exactly its own scheme, host and port. Any thread.
package final class OriginHeaderAuthorizer: RequestAuthorizer {
  private let fields: [Origin: HTTPFields]

  /// Reads every secret now, so that a missing one is known before anything is asked; nothing is read twice.
  ///
  /// - Parameter reveal: told every secret, so that a redactor knows what to hide.
  package init(
    _ headers: [OriginHeader], reader: SecretReader, reveal: (String) -> Void = { _ in }
  ) throws(TransferFailure) {
    var fields: [Origin: HTTPFields] = [:]
    for header in headers {
      let secret = try reader.read(header.source)
      reveal(secret)
      fields[header.origin, default: HTTPFields()].append(header.name, header.prefix + secret)
    }
    self.fields = fields
  }

  package func authorization(for url: HTTPURL) -> RequestAuthorization {
    fields[url.origin].map { .ready($0) } ?? .none
  }

  /// A fixed secret cannot be renewed: the refusal stands.
  package func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    completion(
      TransferFailure(
        .unauthenticated, .unauthenticated, "\(url.origin) refuses the credential that `auth:` gives for it",
        hint: "Check that the secret is current and meant for this host.", httpStatus: 401))
  }
}
