// Deleting what a tree no longer has, once its listing is proven and the brake lets go.

import MirrorPlan
import TransferModel

extension Resolver {
  private static let pruneBatch = 512

  /// Emits a decision for each file that was noted as gone, or says why nothing is deleted; then what waited for their
  /// places.
  func prune(
    _ lister: TreeLister, _ end: TreeLister.End, _ taken: TakenPlaces,
    _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async {
    let vacated = await delete(lister, end, taken, emit)
    await fill(taken.takeAll(), vacated, emit)
  }

  /// Returns the entries whose places are free now.
  private func delete(
    _ lister: TreeLister, _ end: TreeLister.End, _ taken: TakenPlaces,
    _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async -> Set<Int> {
    guard lister.prunes, let state = lister.state else { return [] }
    var vacated: Set<Int> = []
    do throws(TransferFailure) {
      guard !end.hasFailed, control.stop == nil else {
        try state.forgetGone(tree: lister.number)
        return []
      }
      let noted = try state.goneCount(tree: lister.number)
      guard noted > 0 else { return [] }
      if let refusal = try refusal(lister, end, noted) {
        try state.forgetGone(tree: lister.number)
        await emit([.listingFailed(lister.row(for: refusal), tree: lister.key)])
        return []
      }
      // Found out before anything is deleted, so that a plan says the same as the run that follows it.
      vacated = try taken.vacated { path throws(TransferFailure) in
        try willGo(path, lister, end)
      } files: {
        local.files(below: $0, limit: $1)
      }
      var position: RelativePath?
      while control.stop == nil {
        let page = try state.gone(tree: lister.number, after: position, limit: Self.pruneBatch)
        guard let last = page.last else { break }
        position = last.destination
        await emit(page.compactMap { decide($0, lister, end) })
      }
    } catch {
      await emit([.listingFailed(lister.row(for: error), tree: lister.key)])
    }
    return vacated
  }

  /// Whether the file is gone from the bucket, and is mirror's to delete.
  private func willGo(
    _ path: RelativePath, _ lister: TreeLister, _ end: TreeLister.End
  ) throws(TransferFailure) -> Bool {
    guard let state = lister.state, try state.isGone(path, tree: lister.number), let row = try state.row(for: path),
      row.tree == lister.key
    else { return false }
    let decision = decider.planner.pruneDecision(
      local: try local.fact(at: path), recorded: row.file, listing: end.listing, settings: lister.tree.prune)
    return decision?.action == .delete
  }

  /// Emits what waited: decided anew where the place is free, else as it was.
  private func fill(
    _ waiting: [PlannedWork], _ vacated: Set<Int>, _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async {
    var rest = Array(waiting.enumerated())[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchSize)
      rest = rest.dropFirst(Self.batchSize)
      await emit(batch.filter { !vacated.contains($0.offset) }.map(\.element))
      let free = batch.filter { vacated.contains($0.offset) }.compactMap { $0.element.facts }
      let folders = free.filter { $0.local == .directory }.map { PlannedWork.vacated($0.entry.destination) }
      let decided = await decider.decide(free, isVacated: true)
      await emit(folders + decided)
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
