// What the resolver hands on: decided entries with the facts that they were decided from.

package import MirrorPlan
package import TransferModel

/// Everything that was found out about one entry.
package struct EntryFacts: Sendable {
  package var entry: Entry
  /// Names the tree that it came from; nil for an item.
  package var tree: String?
  package var local: LocalFact
  package var recorded: RecordedFile?
  package var remote: RemoteFact
  /// Of the file as `local` saw it; empty when it was not read.
  package var localDigests: DigestSet

  package init(entry: Entry, tree: String? = nil, remote: RemoteFact = .notAsked) {
    self.entry = entry
    self.tree = tree
    self.remote = remote
    local = .absent
    localDigests = DigestSet()
  }
}

/// One thing to do, or to say.
package enum PlannedWork: Sendable {
  case entry(EntryFacts, Decision)
  /// An object whose name cannot be had.
  case refused(PlannedEntry)
  /// A tree whose list failed; some of its objects may have come before.
  case listingFailed(PlannedEntry)
  /// An entry that nobody looked at, because the run was told to stop.
  case notTried(Entry, TransferFailure)
  /// A folder that is there because an empty object stands for it.
  case folder(RelativePath)

  /// The row that a plan shows; nil for folders, which are not entries.
  package var row: PlannedEntry? {
    switch self {
    case .entry(let facts, let decision):
      PlannedEntry(facts.entry, decision, remote: facts.remote, recorded: facts.recorded)
    case .refused(let row), .listingFailed(let row): row
    case .notTried(let entry, let failure): PlannedEntry(entry, .failed(failure))
    case .folder: nil
    }
  }
}
