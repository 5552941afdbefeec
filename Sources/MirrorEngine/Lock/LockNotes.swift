// What is wanted in a run, noted while it is resolved, so that the lock file can be written when all of it is proven.

import LocalFiles
import MirrorPlan
import TransferModel

/// Destinations with all that a lock file says of them beside their version. Any thread.
final class LockNotes: Sendable {
  struct Note: Sendable {
    var destination: RelativePath
    var source: String
    var kind: LockEntry.Kind
  }

  private let notes = Lock<[Note]>([])

  /// Adds what the work wants; what fails or goes is not wanted.
  func add(_ work: PlannedWork) {
    guard case .entry(let item) = work else { return }
    let (facts, decision) = (item.facts, item.decision)
    switch decision.action {
    case .delete, .error, .conflict: return
    case .skip where decision.reason == .gone: return
    case .download, .update, .adopt, .metadata, .skip: break
    }
    let note = Note(
      destination: facts.entry.destination, source: facts.entry.sourceKey.text, kind: LockEntry.Kind(facts.entry))
    notes.withLock { $0.append(note) }
  }

  /// The lock of what the state has recorded of everything that was noted.
  ///
  /// Throws for the first entry that nothing ties to a version.
  func draft(_ state: StateStore, _ local: LocalSurvey) throws(TransferFailure) -> LockDraft {
    var draft = LockDraft()
    for note in notes.withLock({ $0 }) {
      guard let file = try state.row(for: note.destination)?.file, !file.isPlaceholder else {
        throw Self.unproven(note.destination)
      }
      let proven = try local.provenDigests(of: note.destination, file)
      guard
        let entry = LockEntry(
          note.destination, source: note.source, note.kind, version: file.version, proven: proven)
      else { throw Self.unproven(note.destination) }
      draft.add(entry)
    }
    return draft
  }

  static func unproven(_ destination: RelativePath) -> TransferFailure {
    TransferFailure(
      .notComparable, .permanent,
      "\(TerminalText.escape(destination.text)) cannot be locked: its server names no checksum, and none was proven here",
      hint: "Fetch it first with `mirror apply`, or pin a `sha256:` in the manifest.")
  }
}

extension LocalSurvey {
  /// Digests of the stored bytes that the file proves, for a service that names none: what was recorded, and sha256,
  /// for which the file is read when it was not taken before.
  func provenDigests(of destination: RelativePath, _ file: RecordedFile) throws(TransferFailure) -> DigestSet {
    guard file.version.digests.isEmpty, file.content == .stored || (file.version.contentEncoding ?? "").isEmpty else {
      return DigestSet()
    }
    var known = file.digests
    guard known.sha256 == nil, known.sha512 == nil else { return known }
    let wanted = known.algorithms.union([.sha256])
    guard let read = try digests(of: destination, wanted, isCancelled: { false }) else { return known }
    // Only of bytes that are still those that were recorded.
    if case .equal = known.compare(with: read.digests) { known.sha256 = read.digests.sha256 }
    return known
  }
}
