// What a file on the disk must be, by the manifest's pins, the lock file and the state; and whether it is. Reading the
// file is `MirrorEngine`'s.

package import TransferModel

/// How a file stands.
package enum VerifyVerdict: String, Sendable, CaseIterable {
  /// It was read, and is what it must be.
  case proven
  /// It was proven lately enough and has not been touched since.
  case fresh
  /// It is there, with digests to hold it against nowhere.
  case unproven
  /// Nobody names it.
  case unknown
  case missing
  case wrong
  /// It could not be read.
  case unreadable

  /// Whether the tree is not as it must be.
  package var isFault: Bool {
    switch self {
    case .missing, .wrong, .unreadable: true
    case .proven, .fresh, .unproven, .unknown: false
    }
  }
}

/// All that is known of one destination without the network.
package struct VerifyExpectation: Sendable {
  /// The digests that the manifest pins.
  package var pins: DigestSet
  package var locked: LockEntry?
  package var recorded: RecordedFile?
  /// Whether the manifest names it as an item.
  package var isItem: Bool
  package var content: TransferSettings.ContentForm

  package init(
    pins: DigestSet = DigestSet(), locked: LockEntry? = nil, recorded: RecordedFile? = nil, isItem: Bool = false,
    content: TransferSettings.ContentForm = .stored
  ) {
    self.pins = pins
    self.locked = locked
    self.recorded = recorded
    self.isItem = isItem
    self.content = content
  }

  /// Whether anybody names the destination.
  package var isWanted: Bool { isItem || locked != nil || recorded != nil }

  package enum Step: Hashable, Sendable {
    case settled(VerifyVerdict, String?)
    /// Read the file; these digests tell.
    case read(DigestAlgorithms)
  }

  /// What can be said without reading the file; the first row that fits.
  ///
  /// | on the disk | known | then |
  /// | --- | --- | --- |
  /// | nothing | wanted | missing |
  /// | directory, link, other | wanted | wrong |
  /// | anything | by nobody | unknown |
  /// | a file | the placeholder stands in | missing |
  /// | a file | another size | wrong |
  /// | a file, stamp unmoved | proven at or after `cutoff`, and lock and pins say the same | fresh |
  /// | a file | no digest | unproven |
  /// | a file | digests | read |
  package func step(_ local: LocalFact, provenSince cutoff: Timestamp?) -> Step {
    guard isWanted else { return .settled(.unknown, nil) }
    let stamp: LocalStamp
    switch local {
    case .absent: return .settled(.missing, nil)
    case .directory: return .settled(.wrong, "a directory stands there")
    case .symlink: return .settled(.wrong, "a symbolic link stands there")
    case .other: return .settled(.wrong, "something that is no file stands there")
    case .file(let found, _): stamp = found
    }
    if recorded?.isPlaceholder == true { return .settled(.missing, "the manifest's placeholder stands in for it") }
    for (whose, size) in sizes where size != stamp.size {
      return .settled(.wrong, "it has \(stamp.size) bytes, \(whose) \(size)")
    }
    if let cutoff, let recorded, recorded.stamp == stamp, recorded.proven >= cutoff, agrees(with: recorded.digests) {
      return .settled(.fresh, nil)
    }
    let algorithms = claims.reduce(into: DigestAlgorithms()) { $0.formUnion($1.digests.worthComputing) }
    return algorithms.isEmpty ? .settled(.unproven, "no digest of it is known") : .read(algorithms)
  }

  /// What the digests of the file say.
  package func judge(_ digests: DigestSet) -> (verdict: VerifyVerdict, why: String?) {
    var isHeldAgainst = false
    for claim in claims {
      switch claim.digests.compare(with: digests) {
      case .equal: isHeldAgainst = true
      case .incomparable: break
      case .different(let algorithm):
        let (found, wanted) = (digests[algorithm]?.hex ?? "", claim.digests[algorithm]?.hex ?? "")
        return (.wrong, "its \(algorithm.rawValue) is \(found), \(claim.whose) \(wanted)")
      }
    }
    return isHeldAgainst ? (.proven, nil) : (.unproven, "no digest of it is known")
  }

  /// Whose word is held against the file, the strongest first.
  private var claims: [(whose: String, digests: DigestSet)] {
    var claims = [("the manifest says", pins)]
    if let locked, isLockOfFile { claims.append(("the lock file says", locked.digests)) }
    if let recorded { claims.append(("when it was written it was", recorded.digests)) }
    return claims.filter { !$0.1.isEmpty }
  }

  private var sizes: [(whose: String, size: Int64)] {
    var sizes: [(String, Int64)] = []
    if let size = locked?.size, isLockOfFile { sizes.append(("the lock file says", size)) }
    if let recorded { sizes.append(("when it was written it had", recorded.stamp.size)) }
    return sizes
  }

  /// Whether the lock, which speaks of stored bytes, speaks of the file's.
  private var isLockOfFile: Bool { content == .stored || locked?.contentEncoding == nil }

  private func agrees(with digests: DigestSet) -> Bool {
    claims.allSatisfy { claim in
      if case .equal = claim.digests.compare(with: digests) { true } else { false }
    }
  }
}
