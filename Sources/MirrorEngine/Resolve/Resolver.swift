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

  // MARK: Items

  private func resolveItems(_ claims: inout EntryClaims, _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    var entries: [Entry] = []
    entries.reserveCapacity(manifest.items.count)
    var refused: [PlannedWork] = []
    for item in manifest.items where scope.includes(item.destination) {
      let entry = adjusted(Entry(item))
      if let failure = claims.claim(item: entry.destination) {
        refused.append(.entry(DecidedEntry(EntryFacts(entry: entry), .failed(failure, action: .conflict))))
      } else {
        entries.append(entry)
      }
    }
    if !refused.isEmpty { await emit(refused) }
    await pinByDocuments(&entries, emit)
    let listed = await remote.answers(for: placesToAsk(entries), of: entries)
    var start = 0
    var decided: [PlannedWork] = []
    let wanted = entries
    while start < wanted.count, control.stop == nil {
      let (first, end) = (start, min(start + Self.batchSize, wanted.count))
      // One batch is decided while the one before is handed on: where nothing is to be fetched, these are all the work.
      async let next = decider.decide(
        (first..<end).map { EntryFacts(entry: wanted[$0], remote: listed[$0] ?? .notAsked) })
      await emit(decided)
      decided = await next
      start = end
    }
    await emit(decided)
    await giveUp(wanted[start...], emit)
  }

  /// Says of each entry that it was not tried; nothing is left without an outcome.
  private func giveUp(_ entries: ArraySlice<Entry>, _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    guard let stop = control.stop else { return }
    var rest = entries
    while !rest.isEmpty {
      await emit(rest.prefix(Self.batchSize).map { .notTried($0, stop.failure) })
      rest = rest.dropFirst(Self.batchSize)
    }
  }

  /// The items that need a remote fact before anything can be decided; only those are worth a list.
  private func placesToAsk(_ entries: [Entry]) -> [Int] {
    guard remote.listsNameVersions, !scope.isOffline else { return [] }
    let candidates = entries.indices.filter { place in
      guard case .storage = entries[place].references[0] else { return false }
      return scope.binder?.speaks(for: entries[place].destination) != true
    }
    var asking: [Int] = []
    var rest = candidates[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchSize)
      rest = rest.dropFirst(Self.batchSize)
      // A row of the state by itself would be a transaction by itself.
      let rows = try? local.rows(at: batch.map { entries[$0].destination })
      for (number, place) in batch.enumerated()
      where rows == nil || needsAnswer(entries[place], rows?[number]) {
        asking.append(place)
      }
    }
    return asking
  }

  private func needsAnswer(_ entry: Entry, _ row: StateRow?) -> Bool {
    guard let fact = try? local.fact(at: entry.destination) else { return true }
    return decider.planner.verdict(for: entry, local: fact, recorded: row?.file, remote: .notAsked).asksRemote
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
