// A token of one identity, exchanged for a token of a service account.

import TransferModel

struct Impersonation: Sendable {
  /// What the first token must be good for.
  static let sourceScope = "https://www.googleapis.com/auth/iam"

  private let url: HTTPURL
  private let scopes: [String]
  /// Seconds.
  private let lifetime: Int64
  private let delegates: [String]

  init(
    _ fields: CredentialFields, scopes: [String], lifetime: Int64, delegates: [String] = []
  ) throws(TransferFailure) {
    url = try fields.trustedURL("service_account_impersonation_url")
    self.scopes = scopes
    self.lifetime = lifetime
    self.delegates = delegates
  }

  func step(with token: String) -> TokenStep {
    let document = JSONValue.object([
      .init("delegates", .array(delegates.map { .string($0) })), .init("scope", .array(scopes.map { .string($0) })),
      .init("lifetime", .string("\(lifetime)s")),
    ])
    let fields = HTTPFields([.init("Authorization", "Bearer " + token)])
    return .ask(TokenRequest(.json(url, document, fields: fields), place: "\(url)", secrets: [token])) {
      answer throws(TransferFailure) in
      let document = try answer.document { error in
        answer.head?.status == 403 || error?.code == "PERMISSION_DENIED"
          ? "Grant the caller roles/iam.serviceAccountTokenCreator (or workloadIdentityUser) on that account." : nil
      }
      let expiry = document["expireTime"]?.string.flatMap { Timestamp(rfc3339: $0) }
      return .done(
        IssuedToken(value: try answer.text("accessToken", of: document), lifetime: expiry.map { $0 - answer.now }))
    }
  }
}

/// `impersonated_service_account`: any other credential first, then the exchange.
struct ImpersonatedAccount: TokenMethod {
  let source: any TokenMethod
  let impersonation: Impersonation

  var label: String { "the access token of an impersonated account, from \(source.label)" }
  var secrets: [String] { source.secrets }

  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    try source.begin(at: now).followed { impersonation.step(with: $0.value) }
  }
}

extension TokenStep {
  /// These steps, and with their token another one.
  func followed(
    by next: @escaping @Sendable (IssuedToken) throws(TransferFailure) -> TokenStep
  ) throws(TransferFailure) -> TokenStep {
    switch self {
    case .done(let token): try next(token)
    case .ask(let request, let then):
      .ask(request) { answer throws(TransferFailure) in try then(answer).followed(by: next) }
    case .read(let source, let then):
      .read(source) { secret throws(TransferFailure) in try then(secret).followed(by: next) }
    case .readFile(let path, let then):
      .readFile(path) { bytes throws(TransferFailure) in try then(bytes).followed(by: next) }
    }
  }
}
