// The ways to a Firebase ID token. Signing in gives a refresh token too, by which the next ID tokens are had.

package import TransferModel

/// How someone signs in to Firebase.
package enum FirebaseIdentity: Hashable, Sendable {
  case refreshToken(SecretSource)
  case customToken(SecretSource)
  case password(email: String, SecretSource)
  /// A new account without a name, at each run.
  case anonymous
}

/// An ID token by signing in, and later ones by refreshing.
package struct FirebaseSignIn: TokenMethod {
  private let identity: FirebaseIdentity
  private let service: FirebaseAuthService

  package init(_ identity: FirebaseIdentity, service: FirebaseAuthService) {
    self.identity = identity
    self.service = service
  }

  package var label: String {
    switch identity {
    case .refreshToken(let source): "the Firebase ID token by the refresh token from \(source.label)"
    case .customToken(let source): "the Firebase ID token by the custom token from \(source.label)"
    case .password: "the Firebase ID token by email address and password"
    case .anonymous: "the Firebase ID token of an anonymous sign-in"
    }
  }

  package var secrets: [String] { [service.apiKey] }

  package func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    switch identity {
    case .anonymous: signIn("signUp", [])
    case .refreshToken(let source):
      .read(source) { token throws(TransferFailure) in
        try FirebaseRefresh(refreshToken: token, service: service).begin(at: now)
      }
    case .customToken(let source):
      .read(source) { token throws(TransferFailure) in
        signIn("signInWithCustomToken", [.init("token", .string(token))])
      }
    case .password(let email, let source):
      .read(source) { password throws(TransferFailure) in
        signIn(
          "signInWithPassword", [.init("email", .string(email)), .init("password", .string(password))])
      }
    }
  }

  private func signIn(_ method: String, _ members: [JSONValue.Member]) -> TokenStep {
    let url = service.accounts(method)
    let document = JSONValue.object(members + [.init("returnSecureToken", .bool(true))])
    // Without its query, which holds the API key.
    let place = "\(url.origin)\(url.path)"
    return .ask(TokenRequest(.json(url, document), place: place)) { answer throws(TransferFailure) in
      let document = try answer.document(hint: FirebaseAuthHint.hint)
      let refreshToken = document["refreshToken"]?.string
      return .done(
        IssuedToken(
          value: try answer.text("idToken", of: document), lifetime: answer.lifetime("expiresIn", of: document),
          successor: refreshToken.map { FirebaseRefresh(refreshToken: $0, service: service) }))
    }
  }
}

/// An ID token by a refresh token, which may change each time.
struct FirebaseRefresh: TokenMethod {
  let refreshToken: String
  let service: FirebaseAuthService

  var label: String { "the refreshed Firebase ID token" }
  var secrets: [String] { [refreshToken, service.apiKey] }

  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    let form = TokenForm(["grant_type": "refresh_token", "refresh_token": refreshToken])
    let place = "\(service.token.origin)\(service.token.path)"
    return .ask(TokenRequest(.form(service.token, form), place: place)) { answer throws(TransferFailure) in
      let document = try answer.document(hint: FirebaseAuthHint.hint)
      let next = document["refresh_token"]?.string
      return .done(
        IssuedToken(
          value: try answer.text("id_token", of: document), lifetime: answer.lifetime("expires_in", of: document),
          successor: FirebaseRefresh(refreshToken: next ?? refreshToken, service: service)))
    }
  }
}
