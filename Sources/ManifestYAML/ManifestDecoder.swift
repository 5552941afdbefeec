// From YAML events to a draft: keys and shapes. What values mean is `ManifestValidator`.
// The sections are in `ManifestDecoder+Sections.swift` and `ManifestDecoder+Entries.swift`.

import MirrorPlan

/// Walks one document along the schema. All mistakes are noted and passed over; only a text that is no YAML, or breaks a
/// limit, ends the walk, and what was read until then is kept.
///
/// Types are those of the schema. A text is taken as it stands, quoted or not: `no`, `0644`, `1.10`, `~` are the texts that
/// they are. Nothing at all behind a key is an error where a text is wanted, and an empty list or mapping where one of
/// those is.
final class ManifestDecoder {
  let cursor: YAMLCursor
  var draft = ManifestDraft()
  var diagnostics = DiagnosticList()
  private var mergeDepth = 0

  /// How many merges may stand inside each other.
  private static let maximumMergeDepth = 16

  /// The runs of items that are left out of the text, as far as their first items were not found yet.
  var runs: ArraySlice<PlainItemRun>

  private init(_ cursor: YAMLCursor, _ runs: [PlainItemRun]) {
    self.cursor = cursor
    self.runs = runs[...]
  }

  typealias Decoded = (draft: ManifestDraft, diagnostics: DiagnosticList)

  /// Reads the text behind a byte order mark.
  static func decode(_ bytes: [UInt8]) -> Decoded {
    let start = ManifestText.start(of: bytes)
    if let (text, runs) = PlainItemRun.abridge(bytes, from: start),
      let decoded = text.withUnsafeBufferPointer({ decode($0, runs, length: bytes.count - start) })
    {
      return decoded
    }
    let decoded = bytes.withUnsafeBufferPointer { text in
      decode(UnsafeBufferPointer(rebasing: text[start...]), [], length: bytes.count - start)
    }
    return decoded ?? (ManifestDraft(), DiagnosticList())
  }

  /// nil when a run was not where it seemed to be.
  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, _ runs: [PlainItemRun], length: Int
  ) -> Decoded? {
    do {
      let decoder = ManifestDecoder(try YAMLCursor(text, length: length), runs)
      decoder.run()
      return decoder.runs.isEmpty ? (decoder.draft, decoder.diagnostics) : nil
    } catch {
      var diagnostics = DiagnosticList()
      diagnostics.error(error.span, error.message, hint: error.hint)
      return (ManifestDraft(), diagnostics)
    }
  }

  private func run() {
    do {
      if let top = try cursor.node() {
        try readTop(top)
        while try cursor.next() != nil {}
      } else {
        diagnostics.error(
          SourceSpan(line: 1, column: 1), "the manifest is empty", hint: "it begins with `version: 1`")
      }
      draft.isComplete = true
    } catch {
      diagnostics.error(error.span, error.message, hint: error.hint)
      if error.isLimit { draft = ManifestDraft() }
    }
  }
}

// MARK: - Shapes

extension ManifestDecoder {
  /// Reads a mapping: `body` is called once for each known key, and must take the key's value from the cursor.
  func mapping<Key: ManifestKey>(
    _ start: YAMLEvent, _ what: String, _ keys: KeyTable<Key>, isExtensible: Bool = false,
    _ body: (Key, SourceSpan) throws(YAMLFailure) -> Void
  ) throws(YAMLFailure) {
    var seen = SeenKeys()
    checkTag(start)
    if case .mappingStart = start.kind {
      try entries(what, keys, isExtensible: isExtensible, seen: &seen, body)
    } else if !start.isNothing {
      try refuse(start, "\(what) is a mapping of keys to values")
      return
    }
    guard !seen.hasAll(keys.required) else { return }
    for place in keys.required where seen[place] == nil {
      diagnostics.error(start.span, "\(what) lacks `\(keys.spellings[place])`")
    }
  }

  private func entries<Key: ManifestKey>(
    _ what: String, _ keys: KeyTable<Key>, isExtensible: Bool, isMerged: Bool = false, seen: inout SeenKeys,
    _ body: (Key, SourceSpan) throws(YAMLFailure) -> Void
  ) throws(YAMLFailure) {
    var merges: [YAMLReplay] = []
    var mergeSpan: SourceSpan?
    while let event = try cursor.node() {
      if case .mappingEnd = event.kind { break }
      guard case .scalar(let text, let isPlain) = event.kind else {
        diagnostics.error(event.span, "a key is a word, not \(event.name)")
        try cursor.skip(event)
        try skipValue()
        continue
      }
      if isPlain, text == "<<" {
        if let first = mergeSpan { duplicate("<<", event.span, first) }
        mergeSpan = event.span
        merges += try mergeSources()
      } else if let place = keys.place(of: text) {
        if let first = seen[place] {
          if !isMerged { duplicate(text, event.span, first) }
          try skipValue()
        } else {
          seen[place] = event.span
          try body(keys.keys[place], event.span)
        }
      } else {
        if !isExtensible || !text.hasPrefix("x-") { unknown(text, event.span, what, keys.spellings) }
        try skipValue()
      }
    }
    // What a mapping says itself wins over what it merges, and earlier merges over later ones.
    for source in merges {
      try merge(source, what, keys, isExtensible: isExtensible, seen: &seen, body)
    }
  }

  private func merge<Key: ManifestKey>(
    _ source: YAMLReplay, _ what: String, _ keys: KeyTable<Key>, isExtensible: Bool, seen: inout SeenKeys,
    _ body: (Key, SourceSpan) throws(YAMLFailure) -> Void
  ) throws(YAMLFailure) {
    cursor.replay(source)
    guard let start = try cursor.node() else { return }
    guard case .mappingStart = start.kind else {
      try refuse(start, "`<<` merges mappings")
      return
    }
    mergeDepth += 1
    defer { mergeDepth -= 1 }
    guard mergeDepth <= Self.maximumMergeDepth else {
      throw YAMLFailure(start.span, "more than \(Self.maximumMergeDepth) merges inside each other", isLimit: true)
    }
    try entries(what, keys, isExtensible: isExtensible, isMerged: true, seen: &seen, body)
  }

  /// The value of `<<`: a mapping, an alias of one, or a list of these.
  private func mergeSources() throws(YAMLFailure) -> [YAMLReplay] {
    guard let event = try cursor.next() else { return [] }
    guard case .sequenceStart = event.kind else { return [try cursor.capture(event)] }
    var sources: [YAMLReplay] = []
    while let element = try cursor.next() {
      if case .sequenceEnd = element.kind { break }
      sources.append(try cursor.capture(element))
    }
    return sources
  }

  /// Reads a list: `body` gets the first event of each element and must take the rest of it.
  /// A single element without a list is taken too when `single` says so.
  func list<Element>(
    _ what: String, single: Bool = false, _ body: (YAMLEvent) throws(YAMLFailure) -> Element?
  ) throws(YAMLFailure) -> ListDraft<Element>? {
    guard let start = try cursor.node() else { return nil }
    return try list(start, what, single: single, body)
  }

  /// As above, of a list whose first event was taken.
  func list<Element>(
    _ start: YAMLEvent, _ what: String, single: Bool = false, _ body: (YAMLEvent) throws(YAMLFailure) -> Element?
  ) throws(YAMLFailure) -> ListDraft<Element>? {
    checkTag(start)
    var list = ListDraft<Element>(span: start.span)
    if case .sequenceStart = start.kind {
      while let event = try cursor.node() {
        if case .sequenceEnd = event.kind { break }
        if let element = try body(event) { list.elements.append(element) }
      }
    } else if case .scalar = start.kind, single {
      guard let element = try body(start) else { return nil }
      list.elements.append(element)
    } else if !start.isNothing {
      try refuse(start, "\(what) is a list")
      return nil
    }
    return list
  }

  /// The text behind a key.
  func text(_ what: @autoclosure () -> String) throws(YAMLFailure) -> LocatedText? {
    guard let event = try cursor.node() else { return nil }
    return try text(event, what())
  }

  /// `what` names the value in a message, and is not put together without one.
  func text(_ event: YAMLEvent, _ what: @autoclosure () -> String) throws(YAMLFailure) -> LocatedText? {
    checkTag(event)
    guard case .scalar(let text, let isPlain) = event.kind else {
      try refuse(event, "\(what()) is a text")
      return nil
    }
    if isPlain, event.isNothing {
      guard !text.isEmpty else {
        diagnostics.error(event.span, "\(what()) has no value", hint: "leave it out, or write one")
        return nil
      }
      diagnostics.warning(
        event.span, "`\(text)` is taken as the text that it is, not as \"nothing\"",
        hint: "leave the key out, or put the text in quotes")
    }
    return LocatedText(text, event.span)
  }

  /// Reports a value of the wrong shape and passes over it.
  func refuse(_ event: YAMLEvent, _ expectation: String) throws(YAMLFailure) {
    diagnostics.error(event.span, "\(expectation), not \(event.name)")
    try cursor.skip(event)
  }

  private func skipValue() throws(YAMLFailure) {
    if let event = try cursor.next() { try cursor.skip(event) }
  }

  private func checkTag(_ event: YAMLEvent) {
    guard event.foreignTag != nil else { return }
    diagnostics.error(
      event.span, "a tag; manifests have none", hint: "the schema decides what a value is; remove the tag")
  }

  private func duplicate(_ key: String, _ span: SourceSpan, _ first: SourceSpan) {
    diagnostics.error(span, "`\(key)` is here twice; the first is at line \(first.line)", hint: "remove one of them")
  }

  private func unknown(_ key: String, _ span: SourceSpan, _ what: String, _ known: [String]) {
    diagnostics.error(
      span, "\(what) has no key `\(key)`",
      hint: Suggestion.hint(for: key, among: known) ?? "the keys are \(known.joined(separator: ", "))")
  }
}
