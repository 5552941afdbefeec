// Reads a Google credential file of any kind.

package import TransferModel

/// A Google credential: how its tokens are obtained, and what goes with them.
package struct GoogleCredential: Sendable {
  package var method: any TokenMethod
  /// The project whose quota is used, sent as `x-goog-user-project`.
  package var quotaProject: String?

  package init(method: any TokenMethod, quotaProject: String? = nil) {
    self.method = method
    self.quotaProject = quotaProject
  }
}

/// What tokens may do. mirror reads; only `set-metadata` writes.
package enum GoogleScope: String, Sendable {
  case readOnly = "https://www.googleapis.com/auth/devstorage.read_only"
  case readWrite = "https://www.googleapis.com/auth/devstorage.read_write"
}

package enum GoogleCredentialFile {
  /// The values of `type` that are understood.
  package static let types = [
    "authorized_user", "service_account", "external_account", "external_account_authorized_user",
    "impersonated_service_account",
  ]

  /// Throws `unauthenticated`, naming the file and the field. Nothing is asked, and no other file is read.
  package static func parse(
    _ bytes: [UInt8], file: String, scope: GoogleScope, trust: TokenTrust
  ) throws(TransferFailure) -> GoogleCredential {
    let fields = try CredentialFields(bytes, file: file, trust: trust)
    return GoogleCredential(
      method: try method(fields, scopes: [scope.rawValue]), quotaProject: try fields.optional("quota_project_id"))
  }

  private static func method(
    _ fields: CredentialFields, scopes: [String]
  ) throws(TransferFailure) -> any TokenMethod {
    switch try fields.optional("type") {
    case "authorized_user": return try UserRefresh(authorizedUser: fields)
    case "service_account": return try ServiceAccount(fields, scopes: scopes)
    case "external_account": return try ExternalAccount(fields, scopes: scopes)
    case "external_account_authorized_user": return try UserRefresh(externalUser: fields)
    case "impersonated_service_account":
      guard let source = try fields.object("source_credentials") else {
        throw fields.failure("lacks `source_credentials`")
      }
      guard try source.optional("type") != "impersonated_service_account" else {
        throw source.failure("has `source_credentials` that impersonate in turn; list `delegates` instead")
      }
      let impersonation = try Impersonation(
        fields, scopes: scopes, lifetime: 3_600, delegates: fields.list("delegates"))
      return ImpersonatedAccount(
        source: try method(source, scopes: [Impersonation.sourceScope]), impersonation: impersonation)
    case let type:
      throw fields.failure(
        type == nil ? "lacks `type`" : "has a `type` that is not known",
        hint: "The types are \(types.joined(separator: ", ")).")
    }
  }
}
