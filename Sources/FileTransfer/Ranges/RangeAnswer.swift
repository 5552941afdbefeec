// What to make of an answer to one of several ranges of an object: one pure table. A range that only continues what is there
// is judged by `TransferModel.ResumeDecision`.

package import TransferModel

/// | status | and | verdict |
/// | --- | --- | --- |
/// | 206 | another version, or another total | `changed` (P16) |
/// | 206 | no or unreadable Content-Range, another begin, or beyond what was asked | `untrusted` (P12, P13) |
/// | 206 | its Content-Length is not that of the range: what follows it on the connection would be taken for the next answer | `untrusted` |
/// | 206 | changed on its way by a coding | `untrusted` |
/// | 206 | nothing proves the version: no `If-Range` was sent, and the answer names none | `untrusted` |
/// | 206 | otherwise, also when it ends early (P11) | `take` |
/// | 200 | another version | `changed` |
/// | 200 | otherwise | `ignored`: whole objects are all that this server sends (P10, P17) |
/// | 412, and 404 where a generation was asked for | | `changed` |
/// | 416 | another total than ours | `changed` |
/// | 416 | otherwise | `untrusted` |
/// | any other | | nil: judged as an answer to any request |
package enum RangeAnswer: Hashable, Sendable {
  case take
  case changed
  case ignored
  case untrusted

  /// What was asked for.
  package struct Question: Hashable, Sendable {
    package var range: Range<Int64>
    package var total: Int64
    /// The version that all ranges must be of; has a strong validator.
    package var version: ObjectVersion
    /// Whether the server was told to send a range of this version only.
    package var isConditional: Bool

    package init(range: Range<Int64>, total: Int64, version: ObjectVersion, isConditional: Bool) {
      self.range = range
      self.total = total
      self.version = version
      self.isConditional = isConditional
    }
  }

  package static func decide(
    _ question: Question, status: Int, contentRange: ContentRange?, length: Int64?, response: ObjectVersion,
    form: ServedForm
  ) -> RangeAnswer? {
    switch status {
    case 206: return partial(question, contentRange, length, response, form)
    case 200: return question.version.isContradicted(by: response) ? .changed : .ignored
    case 412: return .changed
    case 404: return question.version.generation == nil ? nil : .changed
    case 416:
      if case .unsatisfied(let total) = contentRange, total != question.total { return .changed }
      return .untrusted
    default: return nil
    }
  }

  private static func partial(
    _ question: Question, _ contentRange: ContentRange?, _ length: Int64?, _ response: ObjectVersion, _ form: ServedForm
  ) -> RangeAnswer {
    if question.version.isContradicted(by: response) { return .changed }
    guard case .bytes(let first, let last, let total) = contentRange else { return .untrusted }
    if let total, total != question.total { return .changed }
    guard first == question.range.lowerBound, last < question.range.upperBound, form == .stored else {
      return .untrusted
    }
    guard length ?? (last - first + 1) == last - first + 1 else { return .untrusted }
    return question.isConditional || question.version.isProven(by: response) ? .take : .untrusted
  }
}

extension ObjectVersion {
  /// Whether `other` names the same version by a strong validator.
  fileprivate func isProven(by other: ObjectVersion) -> Bool {
    if let generation, let theirs = other.generation { return generation == theirs }
    guard case .strongETag(let ours)? = ObjectVersion(etag: etag).validator else { return false }
    return other.etag == ours
  }
}
