// Trees by the word of the lock file alone, and what is left of the lock when all is resolved.

import MirrorPlan
import TransferModel

extension Resolver {
  /// The entries of all trees as they are locked; nothing is listed.
  func resolveFrozen(_ binder: LockBinder, _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    let items = Set(manifest.items.map(\.destination))
    var batch: [EntryFacts] = []
    for place in 0..<binder.lock.count {
      guard let promise = binder.lock.entry(at: place), !items.contains(promise.destination),
        let (entry, number) = LockBinder.entry(for: promise, in: manifest)
      else { continue }
      if let stop = control.stop {
        await emit([.notTried(entry, stop.failure)])
        continue
      }
      batch.append(EntryFacts(entry: adjusted(entry), tree: TreeLister.key(of: manifest.trees[number])))
      if batch.count == Self.batchSize {
        await emit(await decider.decide(batch))
        batch.removeAll(keepingCapacity: true)
      }
    }
    if !batch.isEmpty { await emit(await decider.decide(batch)) }
  }

  /// Says of each promise of the lock, and of each row of the plan, that nothing has met it.
  func emitUnmet(_ emit: @Sendable ([PlannedWork]) async -> Void) async {
    guard control.stop == nil, scope.selection == nil else { return }
    var broken: [PlannedWork] = []
    for promise in scope.binder?.unmet ?? [] {
      guard let (entry, number) = LockBinder.entry(for: promise, in: manifest) else { continue }
      let facts = EntryFacts(entry: entry, tree: TreeLister.key(of: manifest.trees[number]), remote: .absent)
      broken.append(.entry(DecidedEntry(facts, .failed(LockBinder.gone(promise.destination)))))
    }
    for destination in scope.gate?.unmet ?? [] {
      let failure = PlanGate.moved(TerminalText.escape(destination), "it is not wanted any more")
      broken.append(
        .refused(
          PlannedEntry(
            destination: destination, action: .error, reason: .failure(failure.reason), source: "", failure: failure),
          tree: ""))
    }
    if !broken.isEmpty { await emit(broken) }
  }
}
