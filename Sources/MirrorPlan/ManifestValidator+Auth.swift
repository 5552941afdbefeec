// `auth:`: which secrets go to whom. Every entry is of exactly one kind: google, firebase or host.

import TransferModel

extension ManifestValidator {
  mutating func auth(_ drafts: [AuthDraft]) -> [AuthEntry] {
    var result: [AuthEntry] = []
    var seen: [String: SourceSpan] = [:]
    for draft in drafts {
      guard let (entry, identities) = authEntry(draft) else { continue }
      for identity in identities {
        if let other = seen[identity] {
          diagnostics.error(draft.span, "a second \(identity); the first is at line \(other.line)")
        }
        seen[identity] = draft.span
      }
      result.append(entry)
    }
    return result
  }

  /// The entry, and what of it there may be one of.
  private mutating func authEntry(_ draft: AuthDraft) -> (AuthEntry, [String])? {
    let isGoogle = draft.google != nil || draft.fields[.google] != nil
    let isFirebase = draft.firebase != nil || draft.fields[.firebase] != nil
    let isHost = draft.fields[.host] != nil
    guard [isGoogle, isFirebase, isHost].count(where: { $0 }) == 1 else {
      // A broken `google`, `firebase` or `host` was reported and is not there.
      if !draft.isBroken {
        diagnostics.error(
          draft.span, "an entry of `auth` is for exactly one of `google`, `firebase` and `host`")
      }
      return nil
    }
    if !isGoogle { refuseKeys(draft, [.userProject, .tokenOrigins], of: "google") }
    if !isFirebase { refuseKeys(draft, [.appCheck], of: "firebase") }
    if !isHost { refuseKeys(draft, [.header, .value, .basic, .netrc, .tls, .proxy], of: "host") }
    if isGoogle { return googleAuth(draft).map { (.google($0), ["`google`"]) } }
    if isFirebase { return firebaseAuth(draft).map { (.firebase($0), ["`firebase`"]) } }
    return hostAuth(draft)
  }

  private mutating func refuseKeys(_ draft: AuthDraft, _ keys: [AuthKey], of kind: String) {
    for key in keys {
      if let span = draft.span(of: key) {
        diagnostics.error(span, "`\(key.spelling)` goes with `\(kind)`")
      }
    }
  }

  // MARK: Google

  private mutating func googleAuth(_ draft: AuthDraft) -> GoogleAuth? {
    let method = draft.google.flatMap { googleMethod($0) } ?? draft.fields[.google].flatMap { googleWord($0) }
    let project = path(draft.fields[.userProject], "user_project")
    var origins: [Origin] = []
    for element in draft.tokenOrigins?.elements ?? [] {
      guard let origin = origin(element, "token_origins", scheme: .https) else { continue }
      checkIsPrivate(origin, element.span)
      origins.append(origin)
    }
    return method.map { GoogleAuth(method: $0, userProject: project, tokenOrigins: origins) }
  }

  private mutating func googleWord(_ field: LocatedText) -> GoogleAuth.Method? {
    guard let word = choice(field, "google", as: GoogleWord.self) else { return nil }
    return switch word {
    case .adc: .defaultCredentials
    case .metadata: .metadataServer
    case .none: GoogleAuth.Method.none
    }
  }

  private mutating func googleMethod(_ draft: CredentialDraft<GoogleKey>) -> GoogleAuth.Method? {
    guard let key = only(of: draft, [.serviceAccount, .credentials, .token], "google"), let secret = draft.secrets[key],
      let reference = self.secret(secret)
    else { return nil }
    if key == .token { return .token(reference) }
    guard case .file(let path) = reference.source else {
      diagnostics.error(
        secret.span, "`\(key.spelling)` is read from a file", hint: "write {file: PATH}, or give a `token`")
      return nil
    }
    return .credentialFile(path)
  }

  // MARK: Firebase

  private mutating func firebaseAuth(_ draft: AuthDraft) -> FirebaseAuth? {
    let appCheck = draft.appCheck.flatMap { secret($0) }
    if let mapping = draft.firebase {
      let apiKey = mapping.secrets[.apiKey].flatMap { secret($0) }
      return firebaseMethod(mapping).map {
        FirebaseAuth(method: $0, apiKey: apiKey ?? FirebaseAuth.defaultAPIKey, appCheck: appCheck)
      }
    }
    switch choice(draft.fields[.firebase], "firebase", as: FirebaseWord.self) {
    case .some(.anonymous): return FirebaseAuth(method: .anonymous, appCheck: appCheck)
    case .some(.none): return FirebaseAuth(method: .none, appCheck: appCheck)
    case nil: return nil
    }
  }

  private mutating func firebaseMethod(_ draft: CredentialDraft<FirebaseKey>) -> FirebaseAuth.Method? {
    if let email = draft.fields[.email], draft.secrets[.password] == nil, !draft.isBroken {
      diagnostics.error(email.span, "`email` goes with a `password`")
    }
    let ways: [FirebaseKey] = [.idToken, .refreshToken, .customToken, .password, .anonymous]
    guard let key = only(of: draft, ways, "firebase") else { return nil }
    if key == .anonymous {
      guard flag(draft.fields[.anonymous]) != true else { return .anonymous }
      diagnostics.error(draft.span, "`anonymous` is true or left out")
      return nil
    }
    guard let reference = draft.secrets[key].flatMap({ secret($0) }) else { return nil }
    switch key {
    case .idToken: return .idToken(reference)
    case .refreshToken: return .refreshToken(reference)
    case .customToken: return .customToken(reference)
    case .password:
      guard let email = path(draft.fields[.email], "email") else {
        if draft.fields[.email] == nil { diagnostics.error(draft.span, "`password` goes with an `email`") }
        return nil
      }
      return .password(email: email, reference)
    case .email, .anonymous, .apiKey: return nil
    }
  }

  /// The one of these keys that is there.
  private mutating func only<Key>(
    of draft: CredentialDraft<Key>, _ keys: [Key], _ name: String
  ) -> Key? {
    let there = keys.filter { draft.secrets[$0] != nil || draft.fields[$0] != nil }
    guard there.count == 1 else {
      let list = keys.map { "`\($0.spelling)`" }.joined(separator: ", ")
      if !draft.isBroken || there.count > 1 {
        diagnostics.error(draft.span, "`\(name)` takes exactly one of \(list)")
      }
      return nil
    }
    return there.first
  }
}

/// `google:` as a word; in the schema.
package enum GoogleWord: String, CaseIterable {
  case adc, metadata, none
}

/// `firebase:` as a word; in the schema.
package enum FirebaseWord: String, CaseIterable {
  case anonymous, none
}

extension AuthDraft {
  /// Where the key's value is; nil when it was left out or broken.
  func span(of key: AuthKey) -> SourceSpan? {
    switch key {
    case .value: value?.span
    case .appCheck: appCheck?.span
    case .basic: basic?.span
    case .tls: tls?.span
    case .tokenOrigins: tokenOrigins?.span
    case .google: google?.span ?? fields[key]?.span
    case .firebase: firebase?.span ?? fields[key]?.span
    case .host, .header, .netrc, .userProject, .proxy: fields[key]?.span
    }
  }
}

extension [AuthEntry] {
  /// Which API `gs://` references use when the manifest does not say: Google's credentials are for Google's.
  package var impliedAPI: StorageSettings.API {
    contains { if case .google = $0 { true } else { false } } ? .gcs : .firebase
  }
}
