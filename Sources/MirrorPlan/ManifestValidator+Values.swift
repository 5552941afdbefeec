// Single values: variables are put in, then the text is read as what the schema wants at that place.

import TransferModel

/// A text with its variables put in.
struct ExpandedText {
  var value: String
  var span: SourceSpan
  /// Whether nothing was put in: then `value` stands in the source and may be quoted.
  var isAsWritten: Bool

  /// The value for a message; what came out of a variable may be a secret and is never shown.
  var quoted: String {
    isAsWritten && value.utf8.count <= 80 ? "`\(value)`" : "this value"
  }
}

extension ManifestValidator {
  /// nil when there is no value, or a variable in it failed, which has then been reported.
  mutating func expand(_ field: LocatedText?, mayBeEmpty: Bool = false) -> ExpandedText? {
    guard let field else { return nil }
    guard field.value.hasByte(UInt8(ascii: "$")) else {
      return ExpandedText(value: field.value, span: field.span, isAsWritten: true)
    }
    let (text, problems) = variables.expand(field.value, mayBeEmpty: mayBeEmpty)
    for problem in problems {
      diagnostics.error(
        field.span.part(at: problem.offset, length: problem.length), problem.message, hint: problem.hint)
    }
    return problems.isEmpty ? ExpandedText(value: text, span: field.span, isAsWritten: false) : nil
  }

  /// Reads a value, or reports that it "is no `what`".
  mutating func read<Value>(
    _ field: LocatedText?, as what: String, hint: String, _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = expand(field) else { return nil }
    if let value = parse(text.value) { return value }
    diagnostics.error(text.span, "\(text.quoted) is no \(what)", hint: hint)
    return nil
  }

  /// One of a few words.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ field: LocatedText?, _ key: String, as type: Value.Type = Value.self
  ) -> Value? {
    guard let text = expand(field) else { return nil }
    if let value = Value(rawValue: text.value) { return value }
    let words = Value.allCases.map(\.rawValue)
    let list = words.map { "`\($0)`" }
    let allowed = list.dropLast().joined(separator: ", ") + " or " + (list.last ?? "")
    diagnostics.error(
      text.span, "`\(key)` is \(allowed), not \(text.quoted)", hint: Suggestion.hint(for: text.value, among: words))
    return nil
  }

  mutating func flag(_ field: LocatedText?) -> Bool? {
    read(field, as: "truth value", hint: "write true or false") { ["true": true, "false": false][$0] }
  }

  /// A whole number in plain decimal spelling: `0123`, `1e3`, `+1` and `1_000` are none.
  mutating func number(_ field: LocatedText?, _ key: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = expand(field) else { return nil }
    let digits = text.value.utf8
    guard let value = ASCII.number(digits), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      diagnostics.error(text.span, "\(text.quoted) is no number", hint: "write it in plain digits, as in 16")
      return nil
    }
    guard range.contains(value) else {
      let bounds =
        range.upperBound == .max ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      diagnostics.error(text.span, "`\(key)` must be \(bounds)")
      return nil
    }
    return value
  }

  mutating func size(_ field: LocatedText?) -> ByteCount? {
    read(field, as: "size", hint: Self.sizeHint, ByteCount.init(parsing:))
  }

  static let sizeHint = "write 1MiB (1,048,576 bytes), 1MB (1,000,000 bytes) or plain bytes"

  /// Bytes a second; `/s` may be left out; 0 = no limit.
  mutating func rate(_ field: LocatedText?) -> ByteCount? {
    read(field, as: "rate", hint: "write 10MiB/s, or 0 for none") { text in
      ByteCount(parsing: text.hasSuffix("/s") ? String(text.dropLast(2)) : text)
    }
  }

  mutating func duration(_ field: LocatedText?, mayBeZero: Bool = false) -> Duration? {
    guard let text = expand(field) else { return nil }
    guard let value = Duration(parsing: text.value) else {
      let hint =
        ASCII.number(text.value.utf8) != nil && text.isAsWritten
        ? "the unit is missing: `\(text.value)s`" : Self.durationHint
      diagnostics.error(text.span, "\(text.quoted) is no duration", hint: hint)
      return nil
    }
    guard mayBeZero || value > .zero else {
      diagnostics.error(text.span, "the duration must be more than 0")
      return nil
    }
    return value
  }

  static let durationHint = "write 250ms, 10s, 5m, 1h30m or 7d"

  /// A value that may also be the word `none`: `.some(nil)`.
  mutating func optional<Value>(
    _ field: LocatedText?, _ read: (inout Self, LocatedText?) -> Value?
  ) -> Value?? {
    if let field, field.value == "none" { return .some(nil) }
    return read(&self, field).map { .some($0) }
  }

  /// A path on this machine, or any other text that must not be empty.
  mutating func path(_ field: LocatedText?, _ key: String) -> String? {
    guard let text = expand(field) else { return nil }
    guard !text.value.isEmpty else {
      diagnostics.error(text.span, "`\(key)` is empty")
      return nil
    }
    guard !text.value.utf8.contains(0) else {
      diagnostics.error(text.span, "`\(key)` has a NUL character")
      return nil
    }
    return text.value
  }
}
