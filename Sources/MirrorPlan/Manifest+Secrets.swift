// Which secrets a manifest reads, and who is sent them: what `mirror check` shows before anybody runs a stranger's manifest.

import TransferModel

/// One secret that a run will read.
package struct SecretUse: Sendable, Hashable {
  /// Where it is read from, never what it is: "the environment variable TOKEN".
  package var secret: String
  /// Who is sent it, or what is made of it: an origin, or Google's or Firebase's services.
  package var audience: String

  package init(secret: String, audience: String) {
    self.secret = secret
    self.audience = audience
  }
}

extension Manifest {
  /// In the order of `auth:`.
  package func secretsRead() -> [SecretUse] {
    auth.flatMap { entry in
      switch entry {
      case .host(let host): host.secretsRead
      case .google(let google): google.secretsRead(emulator: storage.emulator)
      case .firebase(let firebase): firebase.secretsRead(emulator: storage.emulator)
      }
    }
  }
}

extension SecretReference {
  /// How the source is named in messages.
  package var label: String {
    switch source {
    case .environment(let name): "the environment variable \(name)"
    case .file(let path): "the file \(path)"
    case .command(let words): "the output of \(words.first ?? "")"
    }
  }
}

extension HostAuth {
  fileprivate var secretsRead: [SecretUse] {
    let key = tls.flatMap { $0.key ?? $0.certificate }.map { "the file \($0)" }
    return [credential?.label, key].compactMap { $0 }.map { SecretUse(secret: $0, audience: "\(origin)") }
  }
}

extension HostAuth.Credential {
  fileprivate var label: String {
    switch self {
    case .header(_, let reference), .basic(_, let reference): reference.label
    case .netrc(let path): "the file \(path ?? ".netrc")"
    }
  }
}

extension GoogleAuth {
  fileprivate func secretsRead(emulator: Origin?) -> [SecretUse] {
    let label: String
    switch method {
    case .none: return []
    case .defaultCredentials: label = "Google's application default credentials"
    case .metadataServer: label = "the metadata server"
    case .credentialFile(let path): label = "the file \(path)"
    case .token(let reference): label = reference.label
    }
    var audience = [emulator.map { "\($0)" } ?? "https://*.googleapis.com"]
    for origin in tokenOrigins where !audience.contains("\(origin)") { audience.append("\(origin)") }
    return [SecretUse(secret: label, audience: audience.joined(separator: ", "))]
  }
}

extension FirebaseAuth {
  fileprivate func secretsRead(emulator: Origin?) -> [SecretUse] {
    let storage = emulator.map { "\($0)" } ?? "https://firebasestorage.googleapis.com"
    let accounts = "Firebase Authentication"
    var uses: [SecretUse] = []
    switch method {
    case .idToken(let reference): uses.append(SecretUse(secret: reference.label, audience: storage))
    case .refreshToken(let reference), .customToken(let reference), .password(_, let reference):
      uses.append(SecretUse(secret: reference.label, audience: accounts))
      uses.append(SecretUse(secret: apiKey.label, audience: accounts))
    case .anonymous: uses.append(SecretUse(secret: apiKey.label, audience: accounts))
    case .none: break
    }
    if let appCheck { uses.append(SecretUse(secret: appCheck.label, audience: storage)) }
    return uses
  }
}
