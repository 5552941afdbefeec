// One event of a YAML text, and why a text is no YAML.

import MirrorPlan

/// What libyaml reports, without what a manifest has no use for. Stream and document events are not passed on.
struct YAMLEvent {
  enum Kind {
    /// Plain means: written without quotes and not as a block.
    case scalar(String, isPlain: Bool)
    case alias(String)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  var kind: Kind
  var span: SourceSpan
  var anchor: String?
  /// An explicit tag that is not one of YAML's own for texts, lists and mappings.
  var foreignTag: String?

  var opens: Bool {
    switch kind {
    case .sequenceStart, .mappingStart: true
    case .scalar, .alias, .sequenceEnd, .mappingEnd: false
    }
  }

  var closes: Bool {
    switch kind {
    case .sequenceEnd, .mappingEnd: true
    case .scalar, .alias, .sequenceStart, .mappingStart: false
    }
  }

  /// A plain scalar that says nothing, where a list or a mapping is wanted: `items:`, `defaults: ~`.
  var isNothing: Bool {
    guard case .scalar(let text, isPlain: true) = kind else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }

  /// For "expected …, found …".
  var name: String {
    switch kind {
    case .scalar: "a text"
    case .alias: "an alias"
    case .sequenceStart, .sequenceEnd: "a list"
    case .mappingStart, .mappingEnd: "a mapping"
    }
  }
}

/// The reading cannot go on: the text is no YAML, or breaks a limit.
struct YAMLFailure: Error {
  var span: SourceSpan
  var message: String
  var hint: String?
  /// Whether the text may be made to break its reader: then what was read of it is not worth checking.
  var isLimit = false

  init(_ span: SourceSpan, _ message: String, hint: String? = nil, isLimit: Bool = false) {
    self.span = span
    self.message = message
    self.hint = hint
    self.isLimit = isLimit
  }
}
