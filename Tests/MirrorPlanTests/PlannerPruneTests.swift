// When a file may be deleted, and when one listing stands for many questions.

import MirrorPlan
import Testing
import TransferModel

@Suite("Prune decisions")
struct PlannerPruneTests {
  typealias F = Facts
  static let on = PruneSettings(enabled: true)
  static let whole = ListingFact(isComplete: true, wanted: 5)

  @Test(
    "W05, W06, P60: only a file that mirror wrote, by a complete listing, when prune is on",
    arguments: [
      (F.file(), on, whole, .delete),
      (F.file(mode: 0o600), on, whole, .delete),
      (F.file(), PruneSettings(), whole, nil),
      (F.file(), on, ListingFact(isComplete: false, wanted: 5), nil),
      (F.file(F.touched), on, whole, .skip),
      (.absent, on, whole, .skip), (.directory, on, whole, .skip), (.symlink, on, whole, .skip),
      (.other, on, whole, .skip),
    ] as [(LocalFact, PruneSettings, ListingFact, Action?)])
  func rows(local: LocalFact, settings: PruneSettings, listing: ListingFact, action: Action?) {
    let decision = Planner().pruneDecision(
      local: local, recorded: F.row(F.object), listing: listing, settings: settings)
    #expect(decision?.action == action)
  }

  @Test("a row without its file is forgotten")
  func forgotten() {
    let decision = Planner().pruneDecision(
      local: .absent, recorded: F.row(F.object), listing: Self.whole, settings: Self.on)
    #expect(decision == Decision(.skip, .gone, recordsState: true))
  }

  @Test(
    "P54, P60: the cap, the empty listing and the cut listing stop all deleting",
    arguments: [
      (.percent(10), 10, 100, 90, false), (.percent(10), 11, 100, 89, true), (.percent(100), 100, 100, 0, true),
      (.percent(0), 1, 100, 99, true), (.percent(0), 0, 100, 100, false), (.count(2), 2, 2, 1, false),
      (.count(2), 3, 1000, 997, true), (.percent(100), 1, 0, 0, true),
    ] as [(PruneSettings.Cap, Int, Int, Int, Bool)])
  func caps(cap: PruneSettings.Cap, deletions: Int, recorded: Int, wanted: Int, stops: Bool) {
    let brake = PruneGuard(PruneSettings(enabled: true, cap: cap))
    let refusal = brake.refusal(
      deletions: deletions, recorded: recorded, listing: ListingFact(isComplete: true, wanted: wanted))
    #expect((refusal != nil) == stops)
    if deletions > 0 {
      let cut = ListingFact(isComplete: false, wanted: wanted)
      #expect(brake.refusal(deletions: deletions, recorded: recorded, listing: cut) != nil)
    }
  }

  @Test("objects that share a prefix are asked by one listing")
  func listings() {
    func entry(_ name: String, bucket: String = "b", generation: Int64? = nil) -> Entry {
      F.entry([.storage(StorageAddress(bucket: bucket, object: ObjectName(name)))], generation: generation)
    }
    let entries = [
      entry("x"), entry("m/1"), entry("m/2"), entry("m/d/1"), F.entry([F.web]), entry("m/3", bucket: "c"),
      entry("m/4", generation: 1), F.entry([F.object, F.web]), entry("y"), entry("m/5"),
    ]
    var questions = InventoryQuestions()
    for (number, entry) in entries.enumerated() { questions.add(entry, number: number) }
    let listings = questions.listings(worthListing: 2)
    #expect(listings.map(\.prefix) == ["", "m/"])
    #expect(listings.map(\.numbers) == [[0, 8], [1, 2, 9]])
    #expect(listings.map { $0.names.map(\.text) } == [["x", "y"], ["1", "2", "5"]])
    #expect(listings.map(\.maximumPages) == [2, 3])
    #expect(questions.listings(worthListing: 4).isEmpty)
  }
}
