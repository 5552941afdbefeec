// From the manifest to decided entries: items first, then trees, in batches, so that memory stays flat however many there
// are. `mirror plan` and `mirror apply` run the same resolver; a plan just asks everything first.

import MirrorPlan
import TransferModel

/// Resolves one manifest.
struct Resolver: Sendable {
  /// Entries that are decided together: enough to keep the connections busy with questions.
  static let batchSize = 512

  let manifest: Manifest
  let remote: RemoteStore
  let local: LocalSurvey
  let decider: EntryDecider
  let control: RunControl
  /// Whether the target takes `A` and `a` for one name.
  let foldsCase: Bool
  /// Wins over each entry's own retry time; nil = the entry's.
  let retryBudget: Duration?
  /// Whether this run looks at everything; one that does not deletes nothing.
  let prunes: Bool
  let scope: RunScope

  init(
    manifest: Manifest, remote: RemoteStore, local: LocalSurvey, planner: Planner, control: RunControl,
    threads: BlockingThreads, width: Int, foldsCase: Bool = false, retryBudget: Duration? = nil,
    prunes: Bool = true, scope: RunScope = RunScope()
  ) {
    self.manifest = manifest
    self.remote = remote
    self.local = local
    self.control = control
    self.foldsCase = foldsCase
    self.retryBudget = retryBudget
    self.prunes = prunes
    self.scope = scope
    decider = EntryDecider(
      planner: planner, remote: remote, local: local, control: control, threads: threads, width: width, scope: scope)
  }

  /// Calls `emit` with batches of work until everything is decided or the run is told to stop; each call is waited for.
  func run(_ emit: @escaping @Sendable ([PlannedWork]) async -> Void) async {
    let checked: @Sendable ([PlannedWork]) async -> Void = { [scope] work in await emit(scope.check(work)) }
    var claims = EntryClaims(foldsCase: foldsCase)
    await resolveItems(&claims, checked)
    if let binder = scope.binder, binder.isFrozen {
      await resolveFrozen(binder, checked)
    } else {
      for number in manifest.trees.indices where scope.touches(manifest.trees[number]) {
        claims = await resolve(number, claims, checked)
      }
    }
    await emitUnmet(emit)
  }

  func adjusted(_ entry: Entry) -> Entry {
    var entry = entry
    if let retryBudget { entry.settings.retry.budget = retryBudget }
    // The lock has taken the document's place.
    if scope.binder?.speaks(for: entry.destination) == true { entry.checksumURL = nil }
    return entry
  }

  // MARK: Trees

  private func resolve(
    _ number: Int, _ claims: EntryClaims, _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async -> EntryClaims {
    let tree = manifest.trees[number]
    let lister = TreeLister(
      remote: remote, tree: tree, number: number, claims: claims, state: local.state,
      prunes: prunes && tree.prune.enabled)
    let key = lister.key
    guard !scope.isOffline else {
      await emit([
        .listingFailed(lister.row(for: RunScope.notLookedUp(Reference.storage(tree.prefix).display)), tree: key)
      ])
      return claims
    }
    let taken = TakenPlaces(isOn: lister.prunes)
    let end = await lister.run(
      stop: { control.stop }, deliver: { listed in await emit(taken.putAside(await decide(listed, of: key))) },
      fail: { row in await emit([.listingFailed(row, tree: key)]) })
    await prune(lister, end, taken, emit)
    return end.claims
  }

  private func decide(_ listed: [TreeLister.Listed], of tree: String) async -> [PlannedWork] {
    var work: [PlannedWork] = []
    var batch: [EntryFacts] = []
    batch.reserveCapacity(listed.count)
    for object in listed {
      switch object.admission {
      case .entry(let entry, let fact):
        var facts = EntryFacts(entry: adjusted(entry), tree: tree, remote: fact)
        if object.hasLookedUp { facts.take(object.row) }
        batch.append(facts)
      case .folder(let path?): work.append(.folder(path, tree: tree))
      case .refused(let row): work.append(.refused(row, tree: tree))
      case .folder(nil), .filtered, .heldByItem: break
      }
    }
    return work + (await decider.decide(batch))
  }
}
