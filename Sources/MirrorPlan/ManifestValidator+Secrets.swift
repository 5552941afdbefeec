// Single secrets and the names of headers that carry them.

import TransferModel

extension ManifestValidator {
  /// A field name (RFC 9110 section 5.1) that is not one of those on which transfers stand.
  mutating func headerName(_ field: LocatedText?) -> String? {
    guard let text = expand(field) else { return nil }
    let isToken =
      !text.value.isEmpty
      && text.value.utf8.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
    guard isToken else {
      diagnostics.error(text.span, "\(text.quoted) is no name of a header", hint: "as in Authorization")
      return nil
    }
    guard !Self.ownHeaders.contains(text.value.lowercased()) else {
      diagnostics.error(text.span, "the header \(text.quoted) is mirror's own to send")
      return nil
    }
    return text.value
  }

  private static let ownHeaders: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect", "range", "if-range",
    "if-match", "if-none-match", "if-modified-since", "accept-encoding",
  ]

  /// `prefix` is for headers that are written out; elsewhere the scheme is ours to choose.
  mutating func secret(_ draft: SecretDraft, mayHavePrefix: Bool = false) -> SecretReference? {
    let prefix = expand(draft.fields[.prefix], mayBeEmpty: true)
    if let prefix, !mayHavePrefix {
      diagnostics.error(prefix.span, "`prefix` goes with the `value` of a `header`", hint: "leave it out")
    }
    if let prefix, prefix.value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      diagnostics.error(prefix.span, "the prefix has a control character")
    }
    var sources: [SecretReference.Source] = []
    var count = 0
    if let name = draft.fields[.env] {
      count += 1
      if let name = path(name, "env") { sources.append(.environment(name)) }
    }
    if let file = draft.fields[.file] {
      count += 1
      if let file = path(file, "file") { sources.append(.file(file)) }
    }
    if let words = draft.command {
      count += 1
      if let words = command(words, "command") { sources.append(.command(words)) }
    }
    guard count == 1 else {
      diagnostics.error(
        draft.span, count == 0 ? "the secret has no source" : "the secret has more than one source",
        hint: "give exactly one of `env`, `file` and `command`")
      return nil
    }
    return sources.first.map { SecretReference(prefix: prefix?.value ?? "", source: $0) }
  }

  /// A program and its arguments; nil when that is broken.
  mutating func command(_ list: ListDraft<LocatedText>, _ key: String) -> [String]? {
    let words = list.elements.compactMap { expand($0, mayBeEmpty: true)?.value }
    guard let program = words.first, !program.isEmpty else {
      diagnostics.error(list.span, "`\(key)` names no program", hint: "write [\"program\", \"argument\"]")
      return nil
    }
    return words
  }
}
