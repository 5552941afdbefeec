// Whether a recorded file is what the remote side has: "compared by" of `Planner`'s table.

import TransferModel

/// How a recorded file compares with the remote object.
enum PlannerComparison: Hashable {
  case same(ComparedBy)
  case different(ComparedBy)
  /// The file must be read for a digest that the remote side names.
  case needsDigests(DigestAlgorithms)
  case incomparable
}

extension PlannerFacts {
  func compare(_ row: RecordedFile, with version: ObjectVersion) -> PlannerComparison {
    let generations = isSameSource ? Self.equality(row.version.generation, version.generation) : nil
    if generations == true { return .same(.generation) }
    switch storedDigests(of: row).compare(with: version.digests) {
    case .equal: return sizesDiffer(row, version) ? .different(.size) : .same(.hash)
    case .different: return .different(.hash)
    case .incomparable: break
    }
    let etags = strongETagEquality(row, version)
    if etags == true { return .same(.strongETag) }
    if !version.digests.isEmpty, isStoredForm(row), keepsStoredBytes(of: version) {
      return .needsDigests(version.digests.worthComputing)
    }
    if generations == false { return .different(.generation) }
    if etags == false { return .different(.strongETag) }
    return weakComparison(row, version)
  }

  private func weakComparison(_ row: RecordedFile, _ version: ObjectVersion) -> PlannerComparison {
    if sizesDiffer(row, version) { return .different(.size) }
    guard isSameSource else { return .incomparable }
    if isStorage { return row.version.size != nil && version.size != nil ? .same(.size) : .incomparable }
    if let before = row.version.etag, let now = version.etag {
      // One of them is weak here, and a weak tag is compared by what follows `W/` (RFC 9110 section 8.8.3.2).
      return Self.opaqueTag(before) == Self.opaqueTag(now) ? .same(.weakETag) : .different(.weakETag)
    }
    switch Self.equality(row.version.lastModified, version.lastModified) {
    case true?: return .same(.lastModified)
    case false?: return .different(.lastModified)
    case nil: return .incomparable
    }
  }

  /// What a GET can be made conditional on; nil = nothing.
  func conditionalValidator(of row: RecordedFile) -> Validator? {
    if isStorage { return row.version.generation.map { .generation($0) } }
    var version = row.version
    version.generation = nil
    return version.validator
  }

  /// Digests of the stored bytes that the recorded file came from.
  private func storedDigests(of row: RecordedFile) -> DigestSet {
    let known = row.version.digests
    guard isStoredForm(row) else { return known }
    return known.completed(by: row.digests).completed(by: localDigests)
  }

  private func isStoredForm(_ row: RecordedFile) -> Bool { row.content == .stored || !row.version.isCoded }

  private func sizesDiffer(_ row: RecordedFile, _ version: ObjectVersion) -> Bool {
    Self.equality(row.version.size, version.size) == false
  }

  /// nil when one side has none, one is weak, the source is another, or it is an object in a bucket.
  private func strongETagEquality(_ row: RecordedFile, _ version: ObjectVersion) -> Bool? {
    guard isSameSource, !isStorage, let before = row.version.etag, let now = version.etag,
      !before.hasPrefix("W/"), !now.hasPrefix("W/")
    else { return nil }
    return before == now
  }

  private static func opaqueTag(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

  private static func equality<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool? {
    guard let left, let right else { return nil }
    return left == right
  }
}

extension ComparedBy {
  init(_ validator: Validator) {
    switch validator {
    case .generation: self = .generation
    case .strongETag: self = .strongETag
    case .weakETag: self = .weakETag
    case .lastModified: self = .lastModified
    }
  }
}
