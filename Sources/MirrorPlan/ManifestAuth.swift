// `auth:` after every rule was checked: who is sent which secret, and where each secret is read from. No secret is in here.
// Reading and sending them is `Credentials`.

package import TransferModel

/// One `auth:` entry.
package enum AuthEntry: Sendable, Hashable {
  case google(GoogleAuth)
  case firebase(FirebaseAuth)
  case host(HostAuth)
}

/// Where a secret is read from, when it is needed; never the secret itself.
package struct SecretReference: Sendable, Hashable {
  package enum Source: Sendable, Hashable {
    case environment(String)
    /// Relative to the manifest's folder; one trailing line break is dropped.
    case file(String)
    case command([String])
  }

  /// Put before the value, for example `Bearer `; only where a header is written out.
  package var prefix: String
  package var source: Source

  package init(prefix: String = "", source: Source) {
    self.prefix = prefix
    self.source = source
  }
}

/// `google:`, for Cloud Storage by Google's API.
package struct GoogleAuth: Sendable, Hashable {
  package enum Method: Sendable, Hashable {
    /// Application default credentials.
    case defaultCredentials
    case metadataServer
    /// A credential file of any kind; relative to the manifest's folder.
    case credentialFile(String)
    /// An access token that somebody else obtains.
    case token(SecretReference)
    /// Nothing is sent: public objects only.
    case none
  }

  package var method: Method
  /// The project that pays for requests to "requester pays" buckets.
  package var userProject: String?
  /// Where a credential file may send its secrets, beside Google's own hosts.
  package var tokenOrigins: [Origin]

  package init(method: Method, userProject: String? = nil, tokenOrigins: [Origin] = []) {
    self.method = method
    self.userProject = userProject
    self.tokenOrigins = tokenOrigins
  }
}

/// `firebase:`, for Cloud Storage by Firebase's API.
package struct FirebaseAuth: Sendable, Hashable {
  package enum Method: Sendable, Hashable {
    case idToken(SecretReference)
    case refreshToken(SecretReference)
    case customToken(SecretReference)
    case password(email: String, SecretReference)
    case anonymous
    case none
  }

  package var method: Method
  /// The project's Web API key; needed by every way of signing in.
  package var apiKey: SecretReference
  /// An App Check token.
  package var appCheck: SecretReference?

  /// Where the API key is when the manifest does not say.
  package static let defaultAPIKey = SecretReference(source: .environment("FIREBASE_API_KEY"))

  package init(
    method: Method, apiKey: SecretReference = FirebaseAuth.defaultAPIKey, appCheck: SecretReference? = nil
  ) {
    self.method = method
    self.apiKey = apiKey
    self.appCheck = appCheck
  }
}

/// `host:`: a secret that goes to exactly one origin, and how that origin is reached.
package struct HostAuth: Sendable, Hashable {
  package enum Credential: Sendable, Hashable {
    case header(String, SecretReference)
    case basic(user: String, SecretReference)
    /// A `.netrc` file; nil = `$NETRC`, else the one in the home folder.
    case netrc(path: String?)
  }

  /// PEM files, relative to the manifest's folder.
  package struct TLSFiles: Sendable, Hashable {
    /// The authorities of the host's certificate, in place of the system's.
    package var authority: String?
    /// The certificate that is shown to the host.
    package var certificate: String?
    /// Its key; nil = in the certificate's file.
    package var key: String?

    package init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.authority = authority
      self.certificate = certificate
      self.key = key
    }
  }

  package enum Proxy: Sendable, Hashable {
    case direct
    case via(Origin)
  }

  package var origin: Origin
  /// nil = nothing is sent.
  package var credential: Credential?
  package var tls: TLSFiles?
  /// nil = as the environment says.
  package var proxy: Proxy?

  package init(origin: Origin, credential: Credential?, tls: TLSFiles? = nil, proxy: Proxy? = nil) {
    self.origin = origin
    self.credential = credential
    self.tls = tls
    self.proxy = proxy
  }
}
