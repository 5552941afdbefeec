// Credentials that are ready as they are read: a token that somebody else obtains, an API key, a password.

package import TransferModel

/// A secret that is sent as it is. Read again when the server refuses it: files and commands may have a newer one.
package struct GivenSecret: TokenMethod {
  private let source: SecretSource
  private let name: String

  /// - Parameter name: what the secret is, for messages: "the Firebase ID token".
  package init(_ source: SecretSource, name: String) {
    self.source = source
    self.name = name
  }

  package var label: String { "\(name) from \(source.label)" }

  /// A signed token says itself when it ends; its signature is not looked at. One that seems to have ended is sent all the
  /// same: this machine's clock may be wrong, and the server knows better.
  package func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    .read(source) { secret throws(TransferFailure) in
      let lifetime = JSONWebToken.lifetime(of: secret, at: now)
      return .done(IssuedToken(value: secret, lifetime: lifetime.flatMap { $0 > .zero ? $0 : nil }))
    }
  }
}

/// User and password as HTTP Basic sends them (RFC 7617), in UTF-8.
package struct BasicSecret: TokenMethod {
  private let user: String
  private let password: SecretSource

  package init(user: String, password: SecretSource) {
    self.user = user
    self.password = password
  }

  package var label: String { "user and password from \(password.label)" }

  package func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    .read(password) { secret throws(TransferFailure) in
      .done(IssuedToken(value: Self.value(user, secret)))
    }
  }

  static func value(_ user: String, _ password: String) -> String {
    Base64.encode(Array("\(user):\(password)".utf8))
  }
}

/// User and password from a `.netrc` file, for one host.
package struct NetrcSecret: TokenMethod {
  private let path: String
  private let host: String

  package init(path: String, host: String) {
    self.path = path
    self.host = host
  }

  package var label: String { "user and password from \(path)" }

  package func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    .readFile(path) { bytes throws(TransferFailure) in
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw SecretReader.failure("\(path) is not UTF-8 text", hint: nil)
      }
      guard let login = Netrc(text).login(for: host) else {
        throw SecretReader.failure(
          "\(path) has no login and password for \(host)", hint: "Add a line: machine \(host) login … password …")
      }
      let value = BasicSecret.value(login.user, login.password)
      return .done(IssuedToken(value: value, secrets: [login.password]))
    }
  }
}
