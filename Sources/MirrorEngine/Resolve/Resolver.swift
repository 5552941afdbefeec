// From the manifest to decided entries: items first, then trees, in batches, so that memory stays flat however many there
// are. `mirror plan` and `mirror apply` run the same resolver; a plan just asks everything first.

package import MirrorPlan
import TransferModel

/// Resolves one manifest.
package struct Resolver: Sendable {
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

  package init(
    manifest: Manifest, remote: RemoteStore, local: LocalSurvey, planner: Planner, control: RunControl,
    threads: BlockingThreads, width: Int, foldsCase: Bool = false, retryBudget: Duration? = nil
  ) {
    self.manifest = manifest
    self.remote = remote
    self.local = local
    self.control = control
    self.foldsCase = foldsCase
    self.retryBudget = retryBudget
    decider = EntryDecider(
      planner: planner, remote: remote, local: local, control: control, threads: threads, width: width)
  }

  /// Calls `emit` with batches of work until everything is decided or the run is told to stop; each call is waited for.
  package func run(_ emit: @Sendable ([PlannedWork]) async -> Void) async {
    var claims = EntryClaims(foldsCase: foldsCase)
    await resolveItems(&claims, emit)
    for tree in manifest.trees { claims = await resolve(tree, claims, emit) }
  }

  // MARK: Items

  private func resolveItems(_ claims: inout EntryClaims, _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    var entries: [Entry] = []
    entries.reserveCapacity(manifest.items.count)
    var refused: [PlannedWork] = []
    for item in manifest.items {
      let entry = adjusted(Entry(item))
      if let failure = claims.claim(item: entry.destination) {
        refused.append(.entry(EntryFacts(entry: entry), .failed(failure, action: .conflict)))
      } else {
        entries.append(entry)
      }
    }
    if !refused.isEmpty { await emit(refused) }
    await pinByDocuments(&entries, emit)
    let listed = await remote.answers(for: placesToAsk(entries), of: entries)
    var start = 0
    while start < entries.count, control.stop == nil {
      let end = min(start + Self.batchSize, entries.count)
      let batch = (start..<end).map { place in
        EntryFacts(entry: entries[place], remote: listed[place] ?? .notAsked)
      }
      await emit(await decider.decide(batch))
      start = end
    }
    await giveUp(entries[start...], emit)
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
    guard remote.listsNameVersions else { return [] }
    return entries.indices.filter { place in
      let entry = entries[place]
      guard case .storage = entry.references[0] else { return false }
      guard let fact = try? local.fact(at: entry.destination), let recorded = try? local.recorded(at: entry.destination)
      else { return true }
      return decider.planner.verdict(for: entry, local: fact, recorded: recorded, remote: .notAsked).asksRemote
    }
  }

  private func adjusted(_ entry: Entry) -> Entry {
    guard let retryBudget else { return entry }
    var entry = entry
    entry.settings.retry.budget = retryBudget
    return entry
  }

  // MARK: Trees

  private func resolve(
    _ tree: Tree, _ claims: EntryClaims, _ emit: @Sendable ([PlannedWork]) async -> Void
  ) async -> EntryClaims {
    let lister = TreeLister(remote: remote, tree: tree, claims: claims)
    return await lister.run(
      stop: { control.stop },
      deliver: { admitted in
        var work: [PlannedWork] = []
        var batch: [EntryFacts] = []
        for admission in admitted {
          switch admission {
          case .entry(let entry, let fact):
            batch.append(EntryFacts(entry: adjusted(entry), tree: lister.key, remote: fact))
          case .folder(let path?): work.append(.folder(path))
          case .refused(let row): work.append(.refused(row))
          case .folder(nil), .filtered, .heldByItem: break
          }
        }
        await emit(work + (await decider.decide(batch)))
      },
      fail: { row in await emit([.listingFailed(row)]) })
  }
}
