// The items of the manifest, batch by batch: made, pinned by their checksum documents, decided, handed on. However many
// there are, a batch or two is all that stands in memory, and what a list said of those that had to ask.

import MirrorPlan
import TransferModel

extension Resolver {
  func resolveItems(_ claims: inout EntryClaims, _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    var documents = ChecksumDocuments()
    let listed = await askLists(claims, &documents)
    var feed = ItemFeed(self)
    var decided: [PlannedWork] = []
    while var batch = feed.next(&claims) {
      if let stop = control.stop {
        // Nothing is left without an outcome.
        await emit(decided + batch.refused + batch.members.map { .notTried($0.entry, stop.failure) })
        decided = []
        continue
      }
      await pinByDocuments(&batch, &documents)
      let members = batch.members
      // One batch is decided while the one before is handed on: where nothing is to be fetched, these are all the work. Its
      // facts are made in place, so that nobody else holds them while they are found out.
      async let next = decider.decide(members.map { EntryFacts(entry: $0.entry, remote: listed[$0.number]) })
      await emit(decided)
      decided = batch.refused + (await next)
    }
    await emit(decided)
  }

  // MARK: Lists

  /// What lists say of the items that need a remote fact before anything can be decided, by the items' numbers; only
  /// those are worth a list, and all of them are looked at together, since one list may answer many.
  private func askLists(
    _ claims: EntryClaims, _ documents: inout ChecksumDocuments
  ) async -> ListedFacts {
    guard remote.listsNameVersions, !scope.isOffline, manifest.items.hasStorageObjects else { return ListedFacts() }
    let listings = await questions(claims, &documents).listings()
    return control.stop == nil ? await remote.answers(by: listings) : ListedFacts()
  }

  private func questions(
    _ claims: EntryClaims, _ documents: inout ChecksumDocuments
  ) async -> InventoryQuestions {
    var claims = claims
    var feed = ItemFeed(self)
    var questions = InventoryQuestions()
    while control.stop == nil, var batch = feed.next(&claims) {
      await pinByDocuments(&batch, &documents)
      for member in thatAsk(batch.members) { questions.add(member.entry, number: member.number) }
    }
    return questions
  }

  private func thatAsk(_ members: [ItemBatch.Member]) -> [ItemBatch.Member] {
    let candidates = members.filter { member in
      guard case .storage = member.entry.references[0] else { return false }
      return scope.binder?.speaks(for: member.entry.destination) != true
    }
    // A row of the state by itself would be a transaction by itself.
    guard let rows = try? local.rows(at: candidates.map(\.entry.destination)) else { return candidates }
    return zip(candidates, rows).filter { needsAnswer($0.entry, $1) }.map(\.0)
  }

  private func needsAnswer(_ entry: Entry, _ row: StateRow?) -> Bool {
    guard let fact = try? local.fact(at: entry.destination) else { return true }
    return decider.planner.verdict(for: entry, local: fact, recorded: row?.file, remote: .notAsked).asksRemote
  }
}

/// Some items that follow each other.
struct ItemBatch: Sendable {
  struct Member: Sendable {
    /// How many items of the manifest come before it.
    let number: Int
    var entry: Entry
  }

  var members: [Member] = []
  /// Items that cannot be had, whatever the server says.
  var refused: [PlannedWork] = []
}

/// The items that a run looks at, in batches of `Resolver.batchSize`.
private struct ItemFeed: Sendable {
  private let resolver: Resolver
  private var items: ItemList.Iterator
  private var number = 0
  /// Whether destinations have to be held against something: each other they were held against when the manifest was read,
  /// by a rule that tells cases apart.
  private let claimsPlaces: Bool

  init(_ resolver: Resolver) {
    self.resolver = resolver
    claimsPlaces = !resolver.manifest.trees.isEmpty || resolver.foldsCase
    items = resolver.manifest.items.makeIterator()
  }

  /// The next batch, never an empty one; nil after the last. Takes the destinations in passing.
  mutating func next(_ claims: inout EntryClaims) -> ItemBatch? {
    var batch = ItemBatch()
    while batch.members.count + batch.refused.count < Resolver.batchSize, let item = items.next() {
      defer { number += 1 }
      // Items of other shards take their places too, so that trees leave them alone.
      guard resolver.scope.selects(item.destination) else { continue }
      let entry = resolver.adjusted(Entry(item))
      let failure = claimsPlaces ? claims.claim(item: entry.destination) : nil
      guard resolver.scope.owns(entry.destination) else { continue }
      if let failure {
        batch.refused.append(.entry(DecidedEntry(EntryFacts(entry: entry), .failed(failure, action: .conflict))))
      } else {
        batch.members.append(ItemBatch.Member(number: number, entry: entry))
      }
    }
    return batch.members.isEmpty && batch.refused.isEmpty ? nil : batch
  }
}
