// `trees:`, and the destinations of all entries held against each other.

import TransferModel

extension ManifestValidator {
  mutating func trees(_ drafts: [TreeDraft], _ context: EntryContext) -> ([Tree], DestinationPlaces) {
    var trees: [Tree] = []
    var places = DestinationPlaces(expecting: drafts.count)
    for draft in drafts {
      guard let tree = tree(draft, context), let to = draft.fields[.to] else { continue }
      trees.append(tree)
      places.append(tree.destination, at: to.span)
    }
    return (trees, places)
  }

  private mutating func tree(_ draft: TreeDraft, _ context: EntryContext) -> Tree? {
    let address = prefix(draft.fields[.ref], context)
    let included = globs(draft.include)
    let excluded = globs(draft.exclude)
    var pruning = prune(draft.prune)
    let merged = settings(draft.settings, over: context.defaults)
    if let list = draft.include, list.elements.isEmpty {
      diagnostics.warning(
        list.span, "`include` is empty and stands for nothing at all",
        hint: "leave it out to take everything; nothing is pruned by this tree")
      pruning.enabled = false
    }
    guard let text = expand(draft.fields[.to]),
      let destination = destination(text, emptyHint: "write `.` for the root itself"), let address
    else { return nil }
    let takesNothing = draft.include != nil && included.isEmpty
    return Tree(
      prefix: address, destination: destination.path, include: takesNothing ? [.nothing] : included,
      exclude: excluded, prune: pruning, settings: merged.value, mark: draft.span.mark)
  }

  /// The prefix as the server's list wants it: with a slash at its end, so that `models` does not mean `models-old` too.
  private mutating func prefix(_ field: LocatedText?, _ context: EntryContext) -> StorageAddress? {
    guard let field, let reference = reference(field, context) else { return nil }
    guard case .storage(var address) = reference.value else {
      diagnostics.error(
        field.span, "a tree is a folder in a bucket; a plain URL cannot be listed",
        hint: "write `gs://BUCKET/FOLDER/`, or name each file in `items:`")
      return nil
    }
    if let name = address.object, name.text.utf8.last != UInt8(ascii: "/") {
      address.object = ObjectName(name.text + "/")
    }
    return address
  }

  private mutating func globs(_ list: ListDraft<LocatedText>?) -> [Glob] {
    var globs: [Glob] = []
    for field in list?.elements ?? [] {
      guard let text = expand(field) else { continue }
      do {
        globs.append(try Glob(text.value))
      } catch {
        let span = text.isAsWritten ? text.span.part(at: error.offset, length: 1) : text.span
        diagnostics.error(span, "bad pattern: \(error.message)", hint: error.hint)
      }
    }
    return globs
  }

  private mutating func prune(_ fields: Fields<PruneKey>) -> PruneSettings {
    var result = PruneSettings()
    if let enabled = flag(fields[.enabled]) { result.enabled = enabled }
    if let cap = read(
      fields[.max], as: "cap", hint: "write a share of the tree's files (5%) or a number of files (100)", Self.cap)
    {
      result.cap = cap
    }
    if let trash = optional(fields[.trash], { $0.duration($1) }) { result.trash = trash }
    return result
  }

  private static func cap(_ text: String) -> PruneSettings.Cap? {
    guard text.hasSuffix("%") else {
      return ASCII.number(text.utf8).flatMap { Int(exactly: $0) }.map { .count($0) }
    }
    let share = text.dropLast()
    guard let first = share.utf8.first, ASCII.isDigit(first),
      share.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }), let percent = Double(share),
      percent <= 100
    else { return nil }
    return .percent(percent)
  }
}

// MARK: - Overlaps

extension ManifestValidator {
  /// Reports each pair of destinations of which only one can be.
  mutating func checkOverlaps(_ items: DestinationPlaces, _ trees: DestinationPlaces) {
    var index = DestinationIndex(foldsCase: foldsCase, expecting: items.destinations.count)
    var spans = items.spans
    for case let path? in items.destinations {
      if let clash = index.add(file: path) { report(clash, path, spans) }
    }
    for case (let folder?, let span) in zip(trees.destinations, trees.spans) {
      spans.append(span)
      index.add(folder: folder)
    }
    for clash in index.filesThatAreFolders() {
      if let path = items.destinations[clash.first] { report(clash, path, spans) }
    }
  }

  private mutating func report(
    _ clash: DestinationIndex.Clash, _ path: RelativePath, _ spans: [SourceSpan]
  ) {
    let first = spans[clash.first]
    let second = spans[clash.second]
    switch clash.kind {
    case .same:
      diagnostics.error(
        second, "the destination `\(path)` is taken already, at line \(first.line)",
        hint: "one file has one entry; several sources of the same bytes are a list in `ref`")
    case .sameButForCase:
      diagnostics.error(
        second,
        "the destination `\(path)` and that at line \(first.line) are one file on a file system that ignores case")
    case .fileIsFolder:
      diagnostics.error(
        first, "the destination `\(path)` is a file here, and a folder of the destination at line \(second.line)")
    }
  }

  /// The same folder of the same bucket, unfiltered, into the same place: every name twice.
  mutating func checkTwins(_ trees: [Tree], _ places: DestinationPlaces) {
    struct Twin: Hashable {
      var prefix: StorageAddress
      var destination: RelativePath?
    }
    var seen: [Twin: SourceSpan] = [:]
    for (tree, span) in zip(trees, places.spans) where tree.include.isEmpty && tree.exclude.isEmpty {
      let twin = Twin(prefix: tree.prefix, destination: tree.destination)
      if let other = seen[twin] {
        diagnostics.error(span, "the same tree goes to the same destination already, at line \(other.line)")
      } else {
        seen[twin] = span
      }
    }
  }
}
