// Deleting what a tree no longer has, once its listing is proven and the brake lets go.

import MirrorPlan
import TransferModel

extension Resolver {
  private static let pruneBatch = 512

  /// Emits a decision for each file that was noted as gone, or says why nothing is deleted.
  func prune(
    _ lister: TreeLister, _ end: TreeLister.End, _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async {
    guard lister.prunes, let state = lister.state else { return }
    do throws(TransferFailure) {
      guard !end.hasFailed, control.stop == nil else { return try state.forgetGone(tree: lister.number) }
      let noted = try state.goneCount(tree: lister.number)
      guard noted > 0 else { return }
      if let refusal = try refusal(lister, end, noted) {
        try state.forgetGone(tree: lister.number)
        await emit([.listingFailed(lister.row(for: refusal), tree: lister.key)])
        return
      }
      var position: RelativePath?
      while control.stop == nil {
        let page = try state.gone(tree: lister.number, after: position, limit: Self.pruneBatch)
        guard let last = page.last else { return }
        position = last.destination
        await emit(page.compactMap { decide($0, lister, end) })
      }
    } catch {
      await emit([.listingFailed(lister.row(for: error), tree: lister.key)])
    }
  }

  private func refusal(
    _ lister: TreeLister, _ end: TreeLister.End, _ noted: Int
  ) throws(TransferFailure) -> TransferFailure? {
    let brake = PruneGuard(lister.tree.prune)
    guard brake.refusal(deletions: noted, recorded: end.owned, listing: end.listing) != nil else { return nil }
    // Some of what was noted may be gone from the disk as well, or be the user's by now; only what would be deleted counts.
    let deletions = try countDeletions(lister, end)
    guard let reason = brake.refusal(deletions: deletions, recorded: end.owned, listing: end.listing) else {
      return nil
    }
    return TransferFailure(
      end.listing.isComplete ? .pruneRefused : .listingIncomplete, .permanent, reason,
      hint: end.listing.isComplete
        ? "Look at the source; if it is right, raise `prune: {max: …}` of this tree for one run."
        : "Repair or exclude the objects that could not be read.")
  }

  private func countDeletions(_ lister: TreeLister, _ end: TreeLister.End) throws(TransferFailure) -> Int {
    guard let state = lister.state else { return 0 }
    var complete = end.listing
    complete.isComplete = true
    var count = 0
    var position: RelativePath?
    while true {
      let page = try state.gone(tree: lister.number, after: position, limit: Self.pruneBatch)
      guard let last = page.last else { return count }
      position = last.destination
      for file in page {
        guard let row = try state.row(for: file.destination), let fact = try? local.fact(at: file.destination) else {
          continue
        }
        let decision = decider.planner.pruneDecision(
          local: fact, recorded: row.file, listing: complete, settings: lister.tree.prune)
        if decision?.action == .delete { count += 1 }
      }
    }
  }

  private func decide(_ file: GoneFile, _ lister: TreeLister, _ end: TreeLister.End) -> PlannedWork? {
    var facts = EntryFacts(entry: entry(at: file.destination, of: lister.tree), tree: lister.key, remote: .absent)
    do throws(TransferFailure) {
      // Asked again: another tree may have written it meanwhile.
      guard let row = try lister.state?.row(for: file.destination), row.tree == lister.key else { return nil }
      facts.take(row)
      facts.local = try local.fact(at: file.destination)
      return decider.planner.pruneDecision(
        local: facts.local, recorded: row.file, listing: end.listing, settings: lister.tree.prune
      ).map { .entry(DecidedEntry(facts, $0)) }
    } catch {
      return .entry(DecidedEntry(facts, .failed(error)))
    }
  }

  /// The entry that the file once was.
  private func entry(at destination: RelativePath, of tree: Tree) -> Entry {
    var address = tree.prefix
    let below = destination.text.utf8.dropFirst(tree.destination.map { $0.text.utf8.count + 1 } ?? 0)
    address.object = ObjectName((tree.prefix.object?.text ?? "") + String(Substring(below)))
    return Entry(
      references: [.storage(address)], destination: destination, settings: tree.settings, declaration: .tree(tree.mark))
  }
}
