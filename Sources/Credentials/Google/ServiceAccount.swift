// The key of a service account, exchanged for access tokens by a signed assertion (RFC 7523).

import TransferModel

struct ServiceAccount: TokenMethod {
  private let email: String
  private let keyID: String?
  private let key: RSAPrivateKey
  private let pem: String
  private let tokenURL: HTTPURL
  private let scopes: [String]
  private let file: String

  init(_ fields: CredentialFields, scopes: [String]) throws(TransferFailure) {
    email = try fields.required("client_email")
    keyID = try fields.optional("private_key_id")
    tokenURL = try fields.trustedURL("token_uri")
    pem = try fields.required("private_key")
    guard let key = RSAPrivateKey(pem: pem) else {
      throw fields.failure(
        "has a `private_key` that is no RSA key in PEM without a pass phrase", hint: "Download the key again.")
    }
    self.key = key
    self.scopes = scopes
    file = fields.file
  }

  var label: String { "the access token of the service account in \(file)" }
  var secrets: [String] { [pem] }

  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep { try ask(at: now, mayCorrectClock: true) }

  /// A wrong clock makes every assertion invalid; it is asked once more by the server's time (P32).
  private func ask(at now: Timestamp, mayCorrectClock: Bool) throws(TransferFailure) -> TokenStep {
    let assertion = try JSONWebToken.signed(keyID: keyID, claims: claims(at: now), key: key)
    let form = TokenForm([
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion,
    ])
    let request = TokenRequest(.form(tokenURL, form), place: "\(tokenURL)", secrets: [assertion])
    return .ask(request) { answer throws(TransferFailure) in
      if mayCorrectClock, answer.error?.code == "invalid_grant", let offset = answer.serverOffset,
        offset > .seconds(60) || offset < .seconds(-60)
      {
        return try ask(
          at: Timestamp(seconds: now.seconds + offset.components.seconds), mayCorrectClock: false)
      }
      return .done(try answer.accessToken { hint($0) })
    }
  }

  private func claims(at now: Timestamp) -> JSONValue {
    .object([
      .init("iss", .string(email)), .init("scope", .string(scopes.joined(separator: " "))),
      .init("aud", .string(tokenURL.wireText)), .init("iat", .number(JSONNumber(now.seconds))),
      .init("exp", .number(JSONNumber(now.seconds + 3_600))),
    ])
  }

  private func hint(_ error: TokenServiceError?) -> String? {
    error?.code == "invalid_grant"
      ? "Is the key in \(file) still in use, the account there, and this machine's clock right?" : nil
  }
}

extension TokenAnswer {
  /// OAuth's token answer (RFC 6749 section 5.1).
  func accessToken(hint: (TokenServiceError?) -> String? = { _ in nil }) throws(TransferFailure) -> IssuedToken {
    let document = try document(hint: hint)
    return IssuedToken(
      value: try text("access_token", of: document), lifetime: lifetime("expires_in", of: document))
  }
}
