// What a lock file means for an entry: it is the one version that the lock names, or it is not done.

package import TransferModel

extension Entry {
  /// The entry, bound to what the lock promises: its generation where it has one, else its bytes. A checksum document is
  /// not asked any more: the lock has taken its place.
  ///
  /// Throws `lock_drift` when manifest and lock do not name the same thing.
  package func bound(to lock: LockEntry) throws(TransferFailure) -> Entry {
    guard sourceKeys.contains(where: { $0.text.utf8.elementsEqual(lock.source.utf8) }) else {
      throw .drift(
        "\(TerminalText.escape(destination.text)) is locked to \(TerminalText.escape(lock.source)), but the manifest "
          + "names \(TerminalText.escape(references[0].display))")
    }
    if let generation, references.count == 1, lock.generation != generation {
      throw .drift(
        "\(TerminalText.escape(destination.text)): the manifest pins generation \(generation), the lock file "
          + (lock.generation.map { String($0) } ?? "none"))
    }
    if settings.content == .stored || lock.contentEncoding == nil,
      case .different(let algorithm) = pins.compare(with: lock.digests)
    {
      throw .drift(
        "\(TerminalText.escape(destination.text)): the manifest pins another \(algorithm.rawValue) than the lock file")
    }
    if let size, let locked = lock.size, size.bytes != locked {
      throw .drift(
        "\(TerminalText.escape(destination.text)): the manifest wants \(size.bytes) bytes, the lock file \(locked)")
    }
    var entry = self
    entry.checksumURL = nil
    entry.generation = lock.generation ?? generation
    entry.size = size ?? lock.size.map { ByteCount($0) }
    return entry
  }
}

extension LockEntry {
  /// Whether what a listing shows is certainly another version than the locked one.
  package func isContradicted(by listed: ObjectVersion) -> Bool {
    if let generation, let theirs = listed.generation { return generation != theirs }
    if case .different = digests.compare(with: listed.digests) { return true }
    guard let size, let theirs = listed.size else { return false }
    return size != theirs
  }

  /// The failure of a download that was bound to this entry: `lock_drift` when the promised version cannot be had, else
  /// the failure as it is.
  package func failure(_ failure: TransferFailure) -> TransferFailure {
    let name = TerminalText.escape(destination.text)
    let what: String
    switch failure.reason {
    case .notFound, .preconditionFailed:
      let version =
        generation.map { "generation \($0) of \(TerminalText.escape(source))" } ?? TerminalText.escape(source)
      what = "\(name) is locked to \(version), which is gone (\(failure.httpStatus ?? 404))"
    case .checksumMismatch, .sizeMismatch, .changedDuringTransfer, .notComparable:
      what = "\(name) is not what the lock file promises: \(failure.message)"
    default: return failure
    }
    var drift = TransferFailure.drift(what, updating: destination)
    drift.httpStatus = failure.httpStatus
    drift.serverBody = failure.serverBody
    return drift
  }
}

extension TransferFailure {
  /// Lock and world are not the same any more.
  package static func drift(_ message: String, updating destination: RelativePath? = nil) -> TransferFailure {
    let option = destination.map { "--update-lock=\(TerminalText.escape($0.text))" } ?? "--update-lock"
    return TransferFailure(
      .lockDrift, .permanent, message,
      hint: "If the change is wanted, take it in with `mirror apply \(option)`; else bring the locked version back.")
  }
}
