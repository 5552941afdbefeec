// The refresh token of a person, from `gcloud auth application-default login` or a workforce login.

import TransferModel

struct UserRefresh: TokenMethod {
  private let tokenURL: HTTPURL
  private let clientID: String
  private let clientSecret: String
  private let refreshToken: String
  /// Workforce logins send the client by HTTP Basic, others in the form.
  private let sendsBasic: Bool
  private let file: String

  init(authorizedUser fields: CredentialFields) throws(TransferFailure) {
    clientID = try fields.required("client_id")
    clientSecret = try fields.required("client_secret")
    refreshToken = try fields.required("refresh_token")
    tokenURL = fields.has("token_uri") ? try fields.trustedURL("token_uri") : Self.googleTokenURL
    sendsBasic = false
    file = fields.file
  }

  init(externalUser fields: CredentialFields) throws(TransferFailure) {
    clientID = try fields.required("client_id")
    clientSecret = try fields.required("client_secret")
    refreshToken = try fields.required("refresh_token")
    tokenURL = try fields.trustedURL("token_url")
    sendsBasic = true
    file = fields.file
  }

  private static let googleTokenURL = HTTPURL(
    origin: Origin(scheme: .https, host: "oauth2.googleapis.com"), path: "/token")

  private init(_ old: UserRefresh, refreshToken: String) {
    tokenURL = old.tokenURL
    clientID = old.clientID
    clientSecret = old.clientSecret
    sendsBasic = old.sendsBasic
    file = old.file
    self.refreshToken = refreshToken
  }

  var label: String { "the access token of the login in \(file)" }
  var secrets: [String] { [clientSecret, refreshToken] }

  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    var form = TokenForm(["grant_type": "refresh_token"])
    var fields = HTTPFields()
    if sendsBasic {
      fields = .basic(clientID, clientSecret)
    } else {
      form.add("client_id", clientID)
      form.add("client_secret", clientSecret)
    }
    form.add("refresh_token", refreshToken)
    let request = TokenRequest(.form(tokenURL, form, fields: fields), place: "\(tokenURL)")
    return .ask(request) { answer throws(TransferFailure) in
      var token = try answer.accessToken {
        $0?.code == "invalid_grant" ? "Log in again: `gcloud auth application-default login`." : nil
      }
      // The service may give a new refresh token; the file keeps the old one, which stays good for the next run.
      if let next = try answer.document()["refresh_token"]?.string, !next.isEmpty {
        token.successor = UserRefresh(self, refreshToken: next)
      }
      return .done(token)
    }
  }
}
