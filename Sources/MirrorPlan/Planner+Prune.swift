// Deleting what is no longer in a tree: pure rows and caps. Nothing is wanted here, so it stands apart from the table.

extension Planner {
  /// What is done with a recorded file of a tree that the tree's listing does not have; nil = nothing, and no row.
  ///
  /// | prune | listing | at the destination | decision |
  /// | --- | --- | --- | --- |
  /// | off | any | any | nil |
  /// | on | not complete | any | nil |
  /// | on | complete | absent | skip `gone`, the row is forgotten |
  /// | on | complete | the recorded file, stamp unmoved | delete `gone` |
  /// | on | complete | a file that moved since | skip `local_change`: it is the user's now |
  /// | on | complete | directory, link, other | skip `local_change` |
  ///
  /// `PruneGuard` then decides whether any of it is done.
  package func pruneDecision(
    local: LocalFact, recorded: RecordedFile, listing: ListingFact, settings: PruneSettings
  ) -> Decision? {
    guard settings.enabled, listing.isComplete else { return nil }
    switch local {
    case .absent: return Decision(.skip, .gone, recordsState: true)
    case .file(recorded.stamp, mode: _): return Decision(.delete, .gone, usesTrash: settings.trash != nil)
    case .file, .directory, .symlink, .other: return Decision(.skip, .localChange)
    }
  }
}

/// The brake on deleting: a listing that shrank too much is more often a fault than a wish.
package struct PruneGuard: Hashable, Sendable {
  package var settings: PruneSettings

  package init(_ settings: PruneSettings) { self.settings = settings }

  /// Why nothing may be deleted; nil = go on. `deletions` of the `recorded` files of the tree would go.
  package func refusal(deletions: Int, recorded: Int, listing: ListingFact) -> String? {
    guard deletions > 0 else { return nil }
    if !listing.isComplete { return "The listing is not complete, so nothing is deleted." }
    let counts = "The listing has \(listing.wanted) wanted objects where \(recorded) files are recorded"
    if listing.wanted == 0 { return "\(counts), so nothing is deleted." }
    let shrunk = "\(counts); \(deletions) files would be deleted, more than the cap of"
    switch settings.cap {
    case .count(let limit) where deletions > limit: return "\(shrunk) \(limit), so none is."
    case .percent(let limit) where Double(deletions) * 100 > limit * Double(recorded):
      return "\(shrunk) \(limit) %, so none is."
    case .count, .percent: return nil
    }
  }
}
