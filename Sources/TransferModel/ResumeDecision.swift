// What to make of an answer when part of the object is already on the disk: one pure table.

/// What to do with a response to a request for the bytes from `offset` on.
///
/// | asked from | status | and | decision |
/// | --- | --- | --- | --- |
/// | 0 | 200 | | `takeFromStart` |
/// | 0 | 206, 416 | | `refuse`: no range was asked for (P87) |
/// | n > 0 | 200 | | `takeFromStart`: the range was ignored, the whole body comes (RFC 9110 14.2; P10) |
/// | n > 0 | 206 | no or unreadable Content-Range | `startOver` without a range (P12) |
/// | n > 0 | 206 | another version than ours | `startOver` (P16) |
/// | n > 0 | 206 | total differs from ours | `startOver` |
/// | n > 0 | 206 | first = n | `append` |
/// | n > 0 | 206 | first = 0 | `takeFromStart`: the position is known, and it is the start (P11a) |
/// | n > 0 | 206 | any other first | `startOver` without a range (P13) |
/// | n > 0 | 416 | total = n | `alreadyComplete`: verify what is there (P14) |
/// | n > 0 | 416 | otherwise | `startOver` |
/// | n > 0 | 412 | | `startOver`: the object was replaced |
package enum ResumeDecision: Hashable, Sendable {
  /// The body continues at `offset`.
  case append
  /// Forget what is there; this body is the object from byte 0.
  case takeFromStart
  /// Forget what is there and ask again. `withoutRange` = the server's ranges cannot be trusted.
  case startOver(withoutRange: Bool)
  /// Everything is there already.
  case alreadyComplete
  /// Not an answer to what was asked.
  case refuse

  /// What the stored part is known to belong to.
  package struct Part: Hashable, Sendable {
    /// Bytes on disk, asked for from here on; 0 = nothing is there and no range was asked for.
    package var offset: Int64
    /// The version those bytes came from.
    package var version: ObjectVersion

    package init(offset: Int64, version: ObjectVersion = ObjectVersion()) {
      self.offset = offset
      self.version = version
    }
  }

  /// The row for `status`; nil when the table has none (the status is judged elsewhere).
  package static func decide(
    part: Part, status: Int, contentRange: ContentRange?, response: ObjectVersion
  ) -> ResumeDecision? {
    if part.offset == 0 {
      switch status {
      case 200: return .takeFromStart
      case 206, 416: return .refuse
      default: return nil
      }
    }
    switch status {
    case 200: return .takeFromStart
    case 206: return partial(part, contentRange, response)
    case 412: return .startOver(withoutRange: false)
    case 416:
      if case .unsatisfied(let total) = contentRange, total == part.offset { return .alreadyComplete }
      return .startOver(withoutRange: false)
    default: return nil
    }
  }

  private static func partial(
    _ part: Part, _ contentRange: ContentRange?, _ response: ObjectVersion
  ) -> ResumeDecision {
    guard case .bytes(let first, _, let total) = contentRange else { return .startOver(withoutRange: true) }
    if part.version.isContradicted(by: response) { return .startOver(withoutRange: false) }
    if let ours = part.version.size, let total, ours != total { return .startOver(withoutRange: false) }
    if first == part.offset { return .append }
    return first == 0 ? .takeFromStart : .startOver(withoutRange: true)
  }
}

extension ObjectVersion {
  /// Whether `other`, of the same object, is certainly another version. What one of the two does not say contradicts
  /// nothing. Generations decide alone where both have one: Google's ETags move with metadata.
  package func isContradicted(by other: ObjectVersion) -> Bool {
    if let generation, let theirs = other.generation { return generation != theirs }
    if case .different = digests.compare(with: other.digests) { return true }
    if let etag, let theirs = other.etag, etag != theirs { return true }
    if etag == nil || other.etag == nil, let lastModified, let theirs = other.lastModified {
      return lastModified != theirs
    }
    return false
  }

  /// Whether bytes of this version may be continued by a range request at all.
  package var mayResume: Bool { validator?.isStrong ?? false }
}
