// Puts credentials on requests: each on those of the origins that it is bound to, and on no other.

package import TransferModel

/// Credentials of one audience.
package struct CredentialBinding: Sendable {
  /// Who may be sent them.
  package enum Audience: Hashable, Sendable {
    /// Exactly this scheme, host and port.
    case origin(Origin)
    /// https at `*.googleapis.com`; an exact origin wins over it.
    case google
  }

  /// One header field: prefix and credential.
  package struct Field: Sendable {
    package var name: String
    package var prefix: String
    package var cell: TokenCell

    package init(_ name: String, prefix: String = "", _ cell: TokenCell) {
      self.name = name
      self.prefix = prefix
      self.cell = cell
    }
  }

  package var audience: Audience
  package var fields: [Field]
  /// Sent along; not secret.
  package var companions: HTTPFields
  /// Whether links that carry their own token or signature go without: storage services answer 400 to both at once.
  package var sparesSignedLinks: Bool

  package init(
    _ audience: Audience, fields: [Field], companions: HTTPFields = HTTPFields(), sparesSignedLinks: Bool = false
  ) {
    self.audience = audience
    self.fields = fields
    self.companions = companions
    self.sparesSignedLinks = sparesSignedLinks
  }
}

/// The credentials of a run. Any thread.
package final class CredentialAuthorizer: RequestAuthorizer {
  private let byOrigin: [Origin: CredentialBinding]
  private let google: CredentialBinding?

  /// Bindings of the same audience are sent together.
  package init(_ bindings: [CredentialBinding]) {
    var byOrigin: [Origin: CredentialBinding] = [:]
    var google: CredentialBinding?
    for binding in bindings {
      switch binding.audience {
      case .google: google = Self.merge(google, binding)
      case .origin(let origin): byOrigin[origin] = Self.merge(byOrigin[origin], binding)
      }
    }
    self.byOrigin = byOrigin
    self.google = google
  }

  private static func merge(_ first: CredentialBinding?, _ second: CredentialBinding) -> CredentialBinding {
    guard var merged = first else { return second }
    merged.fields += second.fields
    for field in second.companions.all { merged.companions.append(field.name, field.value) }
    merged.sparesSignedLinks = merged.sparesSignedLinks || second.sparesSignedLinks
    return merged
  }

  package func authorization(for url: HTTPURL) -> RequestAuthorization {
    guard let binding = binding(for: url) else { return .none }
    var fields = HTTPFields()
    for field in binding.fields {
      guard let value = field.cell.current else { return .mustRenew }
      fields.append(field.name, field.prefix + value)
    }
    for field in binding.companions.all { fields.append(field.name, field.value) }
    return .ready(fields)
  }

  package func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    guard let binding = binding(for: url) else { return completion(nil) }
    renew(binding.fields[...], refused: refused, completion)
  }

  /// One field after the other. Of several, the first says who asks, so it is the one that a refusal is about; the others
  /// are renewed as they end.
  private func renew(
    _ fields: ArraySlice<CredentialBinding.Field>, refused: HTTPFields?,
    _ completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    guard let field = fields.first else { return completion(nil) }
    let sent = refused?[field.name].map { String($0.dropFirst(field.prefix.count)) }
    field.cell.renew(refused: sent) { [self] failure in
      guard failure == nil else { return completion(failure) }
      renew(fields.dropFirst(), refused: nil, completion)
    }
  }

  private func binding(for url: HTTPURL) -> CredentialBinding? {
    let binding = byOrigin[url.origin] ?? (TokenTrust.isGoogle(url.origin) ? google : nil)
    guard let binding, !(binding.sparesSignedLinks && url.isSigned) else { return nil }
    return binding
  }
}
