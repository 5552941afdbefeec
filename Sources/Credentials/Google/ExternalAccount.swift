// Workload identity federation: a platform's own token, exchanged at Google's Security Token Service (RFC 8693).

import TransferModel

struct ExternalAccount: TokenMethod {
  private let audience: String
  private let subjectTokenType: String
  private let tokenURL: HTTPURL
  private let clientID: String?
  private let clientSecret: String?
  private let workforceProject: String?
  private let subject: SubjectToken
  private let impersonation: Impersonation?
  private let scopes: [String]
  private let file: String

  init(_ fields: CredentialFields, scopes: [String]) throws(TransferFailure) {
    file = fields.file
    audience = try fields.required("audience")
    subjectTokenType = try fields.required("subject_token_type")
    tokenURL = try fields.trustedURL("token_url")
    clientID = try fields.optional("client_id")
    clientSecret = try fields.optional("client_secret")
    workforceProject = try fields.optional("workforce_pool_user_project")
    guard let source = try fields.object("credential_source") else { throw fields.failure("lacks `credential_source`") }
    subject = try SubjectToken(source)
    guard fields.has("service_account_impersonation_url") else {
      impersonation = nil
      self.scopes = scopes
      return
    }
    let options = try fields.object("service_account_impersonation")
    let lifetime = try options?.integer("token_lifetime_seconds", in: 600...43_200)
    impersonation = try Impersonation(fields, scopes: scopes, lifetime: lifetime ?? 3_600)
    self.scopes = [Impersonation.sourceScope]
  }

  var label: String { "the access token of the workload identity in \(file)" }
  var secrets: [String] { subject.secrets + (clientSecret.map { [$0] } ?? []) }

  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    subject.step { subjectToken throws(TransferFailure) in exchange(subjectToken) }
  }

  private func exchange(_ subjectToken: String) -> TokenStep {
    var form = TokenForm([
      "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": audience,
      "scope": scopes.joined(separator: " "),
      "requested_token_type": "urn:ietf:params:oauth:token-type:access_token", "subject_token": subjectToken,
      "subject_token_type": subjectTokenType,
    ])
    var fields = HTTPFields()
    if let clientID {
      fields = .basic(clientID, clientSecret ?? "")
    } else if let workforceProject {
      var options = JSONWriter()
      options.value(.object([.init("userProject", .string(workforceProject))]))
      form.add("options", String(decoding: options.bytes, as: UTF8.self))
    }
    let request = TokenRequest(.form(tokenURL, form, fields: fields), place: "\(tokenURL)", secrets: [subjectToken])
    return .ask(request) { answer throws(TransferFailure) in
      let token = try answer.accessToken { _ in
        "Check `audience` and `subject_token_type` in \(file), and the conditions of the identity pool."
      }
      return impersonation?.step(with: token.value) ?? .done(token)
    }
  }
}
