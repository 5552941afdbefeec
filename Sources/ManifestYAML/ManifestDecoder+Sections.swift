// The top of the manifest and its small sections.

import MirrorPlan

extension ManifestDecoder {
  func readTop(_ start: YAMLEvent) throws(YAMLFailure) {
    try mapping(start, "a manifest", TopKey.self, required: [.version, .root], isExtensible: true) {
      key, span throws(YAMLFailure) in
      switch key {
      case .version: draft.fields[.version] = try text("`version`")
      case .root: draft.fields[.root] = try text("`root`")
      case .storage: draft.storage = try fields("`storage`")
      case .auth: draft.auth = try list("`auth`") { event throws(YAMLFailure) in try hostSecret(event) }?.elements ?? []
      case .defaults:
        guard let start = try cursor.node() else { return }
        try mapping(start, "`defaults`", SettingKey.self) { setting, _ throws(YAMLFailure) in
          try readSetting(setting, into: &draft.defaults)
        }
      case .limits: draft.limits = try fields("`limits`")
      case .items: try readItems(span)
      case .trees: try readTrees(span)
      case .report: draft.report = try fields("`report`")
      }
    }
  }

  /// A mapping of keys to texts.
  func fields<Key: ManifestKey>(_ what: String) throws(YAMLFailure) -> Fields<Key> {
    var fields = Fields<Key>()
    guard let start = try cursor.node() else { return fields }
    try mapping(start, what, Key.self) { key, _ throws(YAMLFailure) in
      fields[key] = try text("`\(key.spelling)`")
    }
    return fields
  }

  private func hostSecret(_ start: YAMLEvent) throws(YAMLFailure) -> HostSecretDraft? {
    var secret = HostSecretDraft(span: start.span)
    try mapping(start, "an entry of `auth`", AuthKey.self, required: [.host, .header, .value]) {
      key, _ throws(YAMLFailure) in
      switch key {
      case .host, .header: secret.fields[key] = try text("`\(key.spelling)`")
      case .value: secret.value = try secretValue()
      }
    }
    return secret
  }

  private func secretValue() throws(YAMLFailure) -> SecretDraft? {
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
    try mapping(start, "`value`", SecretKey.self) { key, _ throws(YAMLFailure) in
      switch key {
      case .prefix, .env, .file: secret.fields[key] = try text("`\(key.spelling)`")
      case .command:
        secret.command = try list("`command`") { event throws(YAMLFailure) in try text(event, "an argument") }
      }
    }
    return secret
  }

  func readSetting(_ key: SettingKey, into settings: inout SettingsDraft) throws(YAMLFailure) {
    switch key {
    case .maxSize, .verify, .content, .mode, .mtime, .onLocalChange: settings.fields[key] = try text("`\(key.spelling)`")
    case .timeout: settings.timeout = try fields("`timeout`")
    case .retry:
      guard let start = try cursor.node() else { return }
      var retry = Fields<RetryKey>()
      var statuses: ListDraft<LocatedText>?
      try mapping(start, "`retry`", RetryKey.self) { key, _ throws(YAMLFailure) in
        switch key {
        case .for, .initial, .max: retry[key] = try text("`\(key.spelling)`")
        case .statuses:
          statuses = try list("`statuses`") { event throws(YAMLFailure) in try text(event, "a status") }
        }
      }
      settings.retry = retry
      settings.statuses = statuses
    }
  }
}
