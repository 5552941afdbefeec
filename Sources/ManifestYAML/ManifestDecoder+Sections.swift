// The top of the manifest and its small sections.

import MirrorPlan

extension ManifestDecoder {
  func readTop(_ start: YAMLEvent) throws(YAMLFailure) {
    try mapping(start, "a manifest", KeyTable(TopKey.self, required: [.version, .root]), isExtensible: true) {
      key, span throws(YAMLFailure) in
      switch key {
      case .version: draft.fields[.version] = try text("`version`")
      case .root: draft.fields[.root] = try text("`root`")
      case .storage: draft.storage = try fields("`storage`")
      case .auth: draft.auth = try list("`auth`") { event throws(YAMLFailure) in try authEntry(event) }?.elements ?? []
      case .defaults:
        guard let start = try cursor.node() else { return }
        try mapping(start, "`defaults`", KeyTable(SettingKey.self)) { setting, _ throws(YAMLFailure) in
          try readSetting(setting, into: &draft.defaults)
        }
      case .limits: try readLimits()
      case .publish: draft.publish = try fields("`publish`", word: .mode)
      case .items: try readItems(span)
      case .trees: try readTrees(span)
      case .report: draft.report = try fields("`report`")
      case .onChange:
        draft.onChange = try list("`on_change`") { event throws(YAMLFailure) in try text(event, "an argument") }
      }
    }
  }

  /// A mapping of keys to texts; a text in its place is the value of `word`, where there is one.
  func fields<Key: ManifestKey>(_ what: String, word: Key? = nil) throws(YAMLFailure) -> Fields<Key> {
    var fields = Fields<Key>()
    guard let start = try cursor.node() else { return fields }
    if let word, case .scalar = start.kind, !start.isNothing {
      fields[word] = try text(start, what)
      return fields
    }
    try mapping(start, what, KeyTable(Key.self)) { key, _ throws(YAMLFailure) in
      fields[key] = try text("`\(key.spelling)`")
    }
    return fields
  }

  private func readLimits() throws(YAMLFailure) {
    guard let start = try cursor.node() else { return }
    try mapping(start, "`limits`", KeyTable(LimitKey.self)) { key, _ throws(YAMLFailure) in
      guard let value = try cursor.node() else { return }
      switch key {
      case .rate, .ratePerHost, .requests, .requestsPerHost:
        guard case .sequenceStart = value.kind else { fallthrough }
        draft.rateTables[key] = try list(value, "`\(key.spelling)`") { event throws(YAMLFailure) in
          var row = RateRowDraft(span: event.span)
          try mapping(event, "a row of `\(key.spelling)`", KeyTable(RateRowKey.self, required: [.from, .rate])) {
            part, _ throws(YAMLFailure) in
            row.fields[part] = try text("`\(part.spelling)`")
          }
          return row
        }
      case .jobs, .memory, .perHost:
        draft.limits[key] = try text(value, "`\(key.spelling)`")
      }
    }
  }

  func readSetting(_ key: SettingKey, into settings: inout SettingsDraft) throws(YAMLFailure) {
    switch key {
    case .maxSize, .verify, .content, .mode, .mtime, .onLocalChange:
      settings.fields[key] = try text("`\(key.spelling)`")
    case .timeout: settings.timeout = try fields("`timeout`")
    case .ranges: settings.ranges = try fields("`ranges`")
    case .retry:
      guard let start = try cursor.node() else { return }
      var retry = Fields<RetryKey>()
      var statuses: ListDraft<LocatedText>?
      try mapping(start, "`retry`", KeyTable(RetryKey.self)) { key, _ throws(YAMLFailure) in
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
