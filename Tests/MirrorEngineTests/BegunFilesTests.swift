// Files that a killed run has put in place, and of which the state knows nothing.

import LocalFiles
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Files of killed runs")
struct BegunFilesTests {
  private let world: TreeWorld
  private let manifest: Manifest

  init() throws {
    world = try TreeWorld(TreeWorld.numbered(30))
    manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
  }

  private var list: DestinationList {
    get throws { try DestinationList(in: world.root.path("out/.mirror"), name: "begun") }
  }

  private func noted() throws -> [String] {
    var names: [String] = []
    try list.forEachBatch { names += $0.map(\.text) }
    return names.sorted()
  }

  /// As a run leaves it that was killed before the rows of these were committed.
  private func forget(_ names: [String], noting: Bool = true) throws {
    let state = try StateStore(StateLocation(root: world.root.path("out")), access: .write)
    let paths = try names.map { try RelativePath($0) }
    for path in paths { try state.forget(path) }
    try state.close()
    if noting { try list.note(paths) }
  }

  @Test("P64: what a killed run has fetched for a tree is pruned when it is gone; what it has not, is nobody's")
  func killed() async throws {
    _ = try await world.apply(manifest)
    #expect(try noted().isEmpty)
    try forget(["m/001", "m/002"])
    try forget(["m/003"], noting: false)
    let next = try await world.apply(manifest)
    #expect(next.count(.adopted) == 3 && next.media == 0)
    #expect(try noted().isEmpty)
    for name in ["m/001", "m/002", "m/003"] { world.remove(name) }
    #expect(try await world.apply(manifest).deleted == ["m/001", "m/002"])
    #expect(try world.files()["m/003"] == "003")
  }

  @Test("destinations are put down before the first of a batch is fetched, and kept while the run goes on")
  func before() async throws {
    let seen = Lock<[Int]>([])
    let ran = try await world.apply(manifest) { [world] _ in
      let begun = try? DestinationList(in: world.root.path("out/.mirror"), name: "begun")
      seen.withLock { $0.append((try? begun?.count()) ?? -1) }
    }
    #expect(ran.count(.downloaded) == 30)
    #expect(seen.withLock { $0.first } == 30)
    #expect(try noted().isEmpty)
  }

  @Test("what could not be looked at stays noted; what is not there any more does not")
  func failing() async throws {
    _ = try await world.apply(manifest)
    try forget(["m/001", "m/002"])
    try list.note([try RelativePath("m/never")])
    try world.emulator.play("on list => status 403")
    #expect(try await world.apply(manifest).status != .done)
    #expect(try noted() == ["m/001", "m/002"])
    try world.emulator.play("")
    #expect(try await world.apply(manifest).count(.adopted) == 2)
    for name in ["m/001", "m/002"] { world.remove(name) }
    #expect(try await world.apply(manifest).deleted == ["m/001", "m/002"])
  }

  @Test("shards know what a killed run of the whole has fetched, and the whole what killed shards have")
  func shards() async throws {
    _ = try await world.apply(manifest)
    try forget(["m/001", "m/002", "m/003", "m/004"])
    for index in 1...2 { _ = try await world.apply(manifest, shard: Shard(index, of: 2)) }
    let own = try DestinationList(in: world.root.path("out/.mirror"), name: "shard-1-of-2.begun")
    let path = try RelativePath("m/005")
    try own.note([path])
    for index in 1...2 {
      let states = ShardStates(beside: StateLocation(root: world.root.path("out")))
      let shard = try #require(Shard(index, of: 2))
      let state = try StateStore(states.location(of: shard), access: .write)
      try state.forget(path)
      try state.close()
    }
    try forget(["m/005"], noting: false)
    #expect(try await world.apply(manifest, fetches: false).status == .done)
    for number in 1...5 { world.remove("m/00\(number)") }
    #expect(try await world.apply(manifest).deleted.count == 5)
    #expect(try noted().isEmpty)
  }
}
