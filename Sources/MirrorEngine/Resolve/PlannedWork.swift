// What the resolver hands on: decided entries with the facts that they were decided from.

package import MirrorPlan
package import TransferModel

/// Everything that was found out about one entry.
package struct EntryFacts: Sendable {
  package var entry: Entry
  /// Names the tree that it came from; nil for an item.
  package var tree: String?
  package var local: LocalFact
  package private(set) var recorded: RecordedFile?
  /// The tree that the recorded file was written for; nil when it was an item's, or when mirror did not write it.
  package private(set) var owner: String?
  /// Whether `recorded` is the state's answer.
  package private(set) var hasLookedUp = false
  package var remote: RemoteFact
  /// Of the file as `local` saw it; empty when it was not read.
  package var localDigests: DigestSet
  /// What the lock file promises of it; nil = it is not held against one.
  package var locked: LockEntry? {
    get { promise?.value }
    set { promise = newValue.map { Shared($0) } }
  }
  private var promise: Shared<LockEntry>?

  package init(entry: Entry, tree: String? = nil, remote: RemoteFact = .notAsked) {
    self.entry = entry
    self.tree = tree
    self.remote = remote
    local = .absent
    localDigests = DigestSet()
  }

  /// Takes what the state says of the destination; nil = it has no row.
  package mutating func take(_ row: StateRow?) {
    recorded = row?.file
    owner = row?.tree
    hasLookedUp = true
  }

  /// The file is mirror's own, though the state has no row of it.
  mutating func claim() { owner = tree }

  /// The tree to name in a row for a file whose bytes stay: what mirror wrote belongs to whoever wants it now, and what
  /// it did not write is nobody's, so that it is never pruned.
  var nextOwner: String? { owner == nil ? nil : tree }
}

/// An entry with its decision. A class, because it is passed on from here to the end of its transfer: a copy of the facts
/// is two dozen references to count.
package final class DecidedEntry: Sendable {
  package let facts: EntryFacts
  package let decision: Decision

  package init(_ facts: EntryFacts, _ decision: Decision) {
    self.facts = facts
    self.decision = decision
  }
}

/// One thing to do, or to say.
package enum PlannedWork: Sendable {
  case entry(DecidedEntry)
  /// An object whose name cannot be had.
  indirect case refused(PlannedEntry, tree: String)
  /// A tree whose list failed, some of whose objects may have come before; or one that is not pruned, for a reason that
  /// somebody must look at.
  indirect case listingFailed(PlannedEntry, tree: String)
  /// An entry that nobody looked at, because the run was told to stop.
  indirect case notTried(Entry, TransferFailure)
  /// A folder that is there because an empty object stands for it.
  case folder(RelativePath, tree: String)
  /// A folder whose files were deleted just now, and where a file is to stand.
  case vacated(RelativePath)

  /// The row that a plan shows; nil for folders, which are not entries.
  package var row: PlannedEntry? {
    switch self {
    case .entry(let item):
      PlannedEntry(item.facts.entry, item.decision, remote: item.facts.remote, recorded: item.facts.recorded)
    case .refused(let row, _), .listingFailed(let row, _): row
    case .notTried(let entry, let failure): PlannedEntry(entry, .failed(failure))
    case .folder, .vacated: nil
    }
  }

  /// What the row stands on; nil for what never became an entry.
  package var planFacts: PlanFacts? {
    guard case .entry(let item) = self else { return nil }
    return PlanFacts(local: item.facts.local, remote: item.facts.remote)
  }
}
