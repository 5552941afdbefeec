// `auth:`, in which no secret may stand: what looks like one is refused and never shown.

import MirrorPlan

extension ManifestDecoder {
  func authEntry(_ start: YAMLEvent) throws(YAMLFailure) -> AuthDraft? {
    var entry = AuthDraft(span: start.span)
    try mapping(start, "an entry of `auth`", KeyTable(AuthKey.self)) { key, _ throws(YAMLFailure) in
      switch key {
      case .host, .header, .netrc, .userProject, .proxy:
        entry.fields[key] = try text("`\(key.spelling)`")
        entry.isBroken = entry.isBroken || entry.fields[key] == nil
      case .value:
        entry.value = try secret(key)
        entry.isBroken = entry.isBroken || entry.value == nil
      case .appCheck:
        entry.appCheck = try secret(key)
        entry.isBroken = entry.isBroken || entry.appCheck == nil
      case .basic: entry.basic = try credential("`basic`", texts: [.user])
      case .tls: entry.tls = try credential("`tls`", texts: Set(TLSKey.allCases))
      case .google:
        let value = try wordOrCredential("`google`", texts: [], GoogleKey.self)
        (entry.fields[.google], entry.google) = value
        entry.isBroken = entry.isBroken || (value.0 == nil && value.1 == nil)
      case .firebase:
        let value = try wordOrCredential("`firebase`", texts: [.email, .anonymous], FirebaseKey.self)
        (entry.fields[.firebase], entry.firebase) = value
        entry.isBroken = entry.isBroken || (value.0 == nil && value.1 == nil)
      case .tokenOrigins:
        entry.tokenOrigins = try list("`token_origins`") { event throws(YAMLFailure) in try text(event, "a host") }
      }
    }
    return entry
  }

  private func wordOrCredential<Key: ManifestKey>(
    _ what: String, texts: Set<Key>, _ type: Key.Type
  ) throws(YAMLFailure) -> (LocatedText?, CredentialDraft<Key>?) {
    guard let start = try cursor.node() else { return (nil, nil) }
    if case .scalar = start.kind { return (try text(start, what), nil) }
    return (nil, try credential(start, what, texts: texts))
  }

  private func credential<Key: ManifestKey>(
    _ what: String, texts: Set<Key>
  ) throws(YAMLFailure) -> CredentialDraft<Key>? {
    guard let start = try cursor.node() else { return nil }
    return try credential(start, what, texts: texts)
  }

  /// A mapping in which the keys `texts` have texts and all others secrets.
  private func credential<Key: ManifestKey>(
    _ start: YAMLEvent, _ what: String, texts: Set<Key>
  ) throws(YAMLFailure) -> CredentialDraft<Key>? {
    var draft = CredentialDraft<Key>(span: start.span)
    try mapping(start, what, KeyTable(Key.self)) { key, _ throws(YAMLFailure) in
      if texts.contains(key) {
        draft.fields[key] = try text("`\(key.spelling)`")
        draft.isBroken = draft.isBroken || draft.fields[key] == nil
      } else {
        draft.secrets[key] = try secret(key)
        draft.isBroken = draft.isBroken || draft.secrets[key] == nil
      }
    }
    return draft
  }

  private func secret(_ key: some ManifestKey) throws(YAMLFailure) -> SecretDraft? {
    guard let start = try cursor.node() else { return nil }
    if case .scalar(let text, _) = start.kind, !text.isEmpty {
      var diagnostic = Diagnostic(
        at: start.span.mark, length: Int(start.span.length), "a secret is not written into a manifest",
        hint: "name where it is: {env: NAME}, {file: PATH} or {command: [PROGRAM]}, with `prefix` where one is needed")
      diagnostic.isSecret = true
      diagnostics.add(diagnostic)
      return nil
    }
    var secret = SecretDraft(span: start.span)
    try mapping(start, "`\(key.spelling)`", KeyTable(SecretKey.self)) { key, _ throws(YAMLFailure) in
      switch key {
      case .prefix, .env, .file: secret.fields[key] = try text("`\(key.spelling)`")
      case .command:
        secret.command = try list("`command`") { event throws(YAMLFailure) in try text(event, "an argument") }
      }
    }
    return secret
  }
}
