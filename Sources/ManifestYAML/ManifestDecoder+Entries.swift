// `items:` and `trees:`, which may be long: each entry is appended to the draft as soon as it is read.

import MirrorPlan

extension ManifestDecoder {
  private static let itemKeys = KeyTable(WithSettings<ItemKey>.self, required: [.own(.ref), .own(.to)])
  private static let treeKeys = KeyTable(WithSettings<TreeKey>.self, required: [.own(.ref), .own(.to)])

  func readItems(_ span: SourceSpan) throws(YAMLFailure) {
    draft.items = ItemListDraft(span: span)
    _ = try list("`items`") { event throws(YAMLFailure) -> Never? in
      let isFirstOfRun = event.opens && event.span.mark == runs.first?.first && !cursor.isReplaying
      var item = ItemDraft(span: event.span)
      try readItem(event, into: &item)
      draft.items?.append(item)
      if isFirstOfRun { draft.items?.append(runs.removeFirst()) }
      return nil
    }
  }

  private func readItem(_ start: YAMLEvent, into item: inout ItemDraft) throws(YAMLFailure) {
    try mapping(start, "an item", Self.itemKeys) {
      key, span throws(YAMLFailure) in
      switch key {
      case .own(.ref):
        guard
          let list = try list("`ref`", single: true, { event throws(YAMLFailure) in try text(event, "a reference") })
        else { return }
        item.references = list.elements
        if list.elements.isEmpty { diagnostics.error(span, "`ref` names no reference") }
      case .own(let key): item.set(key, try text("`\(key.spelling)`"))
      case .setting(let key): try readSetting(key, into: &item.settings)
      }
    }
  }

  func readTrees(_ span: SourceSpan) throws(YAMLFailure) {
    draft.trees = ListDraft(span: span)
    _ = try list("`trees`") { event throws(YAMLFailure) -> Never? in
      var tree = TreeDraft(span: event.span)
      try readTree(event, into: &tree)
      draft.trees?.elements.append(tree)
      return nil
    }
  }

  private func readTree(_ start: YAMLEvent, into tree: inout TreeDraft) throws(YAMLFailure) {
    try mapping(start, "a tree", Self.treeKeys) {
      key, _ throws(YAMLFailure) in
      switch key {
      case .own(.ref), .own(.to):
        guard case .own(let key) = key else { return }
        tree.fields[key] = try text("`\(key.spelling)`")
      case .own(.include): tree.include = try patterns("`include`")
      case .own(.exclude): tree.exclude = try patterns("`exclude`")
      case .own(.prune): tree.prune = try fields("`prune`")
      case .setting(let key): try readSetting(key, into: &tree.settings)
      }
    }
  }

  private func patterns(_ what: String) throws(YAMLFailure) -> ListDraft<LocatedText>? {
    try list(what) { event throws(YAMLFailure) in try text(event, "a pattern") }
  }
}
