// Runs of shards on one root, and the run that brings them together.

import Glibc
import LocalFiles
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Shards")
struct ShardRunTests {
  private func shards(_ count: Int) throws -> [Shard] { try (1...count).map { try #require(Shard($0, of: count)) } }

  /// What lies beside the states of all shards.
  private func own(_ world: TreeWorld) throws -> [String] {
    try world.root.files(below: "out/.mirror").keys.map { String($0.dropFirst("out/.mirror/".count)) }
      .filter { $0.hasPrefix("shard-") && $0.hasSuffix(".db") }.sorted()
  }

  @Test("shards side by side fetch everything once; finalize deletes what is gone, and knows it all")
  func together() async throws {
    let world = try TreeWorld(TreeWorld.numbered(200))
    let manifest = world.manifest([try world.tree()], items: [try world.item("m/007", to: "seven")])
    _ = try await world.apply(manifest)
    world.remove("m/003")
    for number in 200..<260 { world.put("m/\(number)", "new \(number)") }
    world.emulator.clearLog()
    let shards = try shards(4)
    let runs = try await withThrowingTaskGroup { group in
      for shard in shards { group.addTask { try await world.apply(manifest, shard: shard) } }
      return try await group.reduce(into: [TreeWorld.Ran]()) { $0.append($1) }
    }
    #expect(runs.allSatisfy { $0.status == .done && $0.deleted.isEmpty && $0.count(.downloaded) > 0 })
    #expect(runs.reduce(0) { $0 + $1.count(.downloaded) } == 60)
    #expect(runs.reduce(0) { $0 + $1.count(.unchanged) } == 200)
    // But for the item, whose version is asked for by a condition.
    let fetched = world.emulator.log.count {
      $0.target.contains("alt=media") && !$0.target.contains("ifGenerationNotMatch")
    }
    #expect(fetched == 60)
    #expect(try world.files().count == 261)

    let final = try await world.apply(manifest, fetches: false)
    #expect(final.status == .done && final.media == 0)
    #expect(final.deleted == ["m/003"] && final.count(.unchanged) == 260)
    #expect(try world.trash() == ["m/003"])
    #expect(try own(world).isEmpty)
    let row = try #require(try world.state().row(for: RelativePath("m/259")))
    #expect(row.tree != nil)
    #expect(try world.state().rowCount() == 260)
  }

  @Test("what shards have fetched is theirs: it is pruned when it is gone")
  func ownership() async throws {
    let world = try TreeWorld(TreeWorld.numbered(40))
    let manifest = world.manifest([try world.tree()])
    for shard in try shards(3) { #expect(try await world.apply(manifest, shard: shard).status == .done) }
    #expect(try world.files().count == 40)
    world.remove("m/011")
    // Without finalize, too: whoever has the root alone brings the shards together.
    let ran = try await world.apply(manifest)
    #expect(ran.deleted == ["m/011"] && ran.count(.unchanged) == 39 && ran.media == 0)
  }

  @Test("a shard that runs again asks for nothing that it has, and knows what a run of the whole has fetched")
  func again() async throws {
    let world = try TreeWorld(TreeWorld.numbered(50))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest)
    world.emulator.clearLog()
    for shard in try shards(2) + shards(2) {
      let ran = try await world.apply(manifest, shard: shard)
      #expect(ran.status == .done && ran.count(.unchanged) == ran.outcomes.count && !ran.outcomes.isEmpty)
      #expect(ran.outcomes.allSatisfy { $0.comparedBy == .generation })
    }
    #expect(world.emulator.log.count { $0.target.contains("alt=media") } == 0)
  }

  @Test("finalize fetches nothing, says what is missing and ends with 9; then the shard that failed is run again")
  func missing() async throws {
    let world = try TreeWorld(TreeWorld.numbered(30))
    let manifest = world.manifest([try world.tree()])
    let shards = try shards(2)
    _ = try await world.apply(manifest, shard: shards[0])
    let present = try world.files().count
    let early = try await world.apply(manifest, fetches: false)
    #expect(early.status == .budgetUsedUp && early.media == 0)
    #expect(early.count(.unchanged) == present && early.count(.skipped) == 30 - present)
    let left = try #require(early.outcomes.first { $0.outcome == .skipped }?.failure)
    #expect(left.reason == .budgetExhausted && left.message.contains("fetches nothing"), "\(left)")
    _ = try await world.apply(manifest, shard: shards[1])
    let final = try await world.apply(manifest, fetches: false)
    #expect(final.status == .done && final.count(.unchanged) == 30)
  }

  @Test("P65: a run of the whole, the same shard and another division wait; another shard does not")
  func locks() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree()])
    let (two, three) = (try shards(2), try shards(3))
    func status(_ shard: Shard?) async throws -> MirrorPlan.ExitStatus? {
      do { return try await world.apply(manifest, shard: shard).status } catch let refusal as RunRefusal {
        return refusal.status
      }
    }
    let root = try RootDirectory(opening: world.root.path("out"), creating: true)
    let held = try RootLock.acquireShare(root, name: "shard-1-of-2", started: "now", pause: { _ in false }) { _ in
      .success(true)
    }
    // What a run of that shard has when it is at work.
    let whole = StateLocation(root: root.path)
    let states = ShardStates(beside: whole)
    try states.makeWhole { _ in }
    _ = try StateStore(states.location(of: two[0]), access: .write)
    #expect(try await status(nil) == .rootIsHeld)
    #expect(try await status(two[0]) == .rootIsHeld)
    #expect(try await status(three[0]) == .rootIsHeld)
    #expect(try await status(two[1]) == .done)
    withExtendedLifetime(held) {}
  }

  @Test("another division begins with what the one before has found out")
  func divisions() async throws {
    let world = try TreeWorld(TreeWorld.numbered(60))
    let manifest = world.manifest([try world.tree()])
    for shard in try shards(2) { _ = try await world.apply(manifest, shard: shard) }
    world.emulator.clearLog()
    for shard in try shards(5) {
      let ran = try await world.apply(manifest, shard: shard)
      #expect(ran.status == .done && ran.count(.unchanged) == ran.outcomes.count)
    }
    #expect(world.emulator.log.count { $0.target.contains("alt=media") } == 0)
    #expect(try own(world).allSatisfy { $0.contains("-of-5.") })
  }

  @Test("what reads the state alone is told to wait for finalize")
  func reading() async throws {
    let world = try TreeWorld(TreeWorld.numbered(10))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest, shard: Shard(1, of: 2))
    for shard in [nil, Shard(1, of: 3)] {
      let refusal = await #expect(throws: RunRefusal.self) { try await world.plan(manifest, shard: shard) }
      #expect(refusal?.status == .rootIsHeld)
      #expect(refusal?.failure.hint?.contains("mirror finalize") == true)
    }
    let (own, other) = (try shards(2)[0], try shards(2)[1])
    #expect(try await world.plan(manifest, shard: own).allSatisfy { $0.action == .skip })
    #expect(try await world.plan(manifest, shard: other).allSatisfy { $0.action == .download })
    _ = try await world.apply(manifest, fetches: false)
    #expect(try await world.plan(manifest).count == 10)
  }

  @Test("a shard sweeps nothing, as it may be another's; finalize does")
  func sweeping() async throws {
    let world = try TreeWorld(TreeWorld.numbered(10))
    let manifest = world.manifest([try world.tree()])
    let part = "out/m/.mirror-0123456789abcdef.part"
    try world.root.write("part", to: part)
    var past = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, world.root.path(part), &past, 0) == 0)
    for shard in try shards(2) { _ = try await world.apply(manifest, shard: shard) }
    #expect(world.root.exists(part))
    _ = try await world.apply(manifest, fetches: false)
    #expect(!world.root.exists(part))
  }

  @Test("a shard's state that is damaged costs its files a second look, and never a row of the whole")
  func damaged() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest)
    let shard = try #require(Shard(1, of: 2))
    _ = try await world.apply(manifest, shard: shard)
    try world.root.write(Array(repeating: 0x55, count: 20_000), to: "out/.mirror/shard-1-of-2.db")
    let final = try await world.apply(manifest, fetches: false)
    #expect(final.status == .done && final.count(.unchanged) == 20)
    #expect(final.notices.contains { $0.message.contains("shard-1-of-2.db") })
    #expect(try world.state().rowCount() == 20)
  }

  @Test("a root that is published by generations is not shared")
  func generations() async throws {
    let world = try TreeWorld(TreeWorld.numbered(3))
    var manifest = world.manifest([try world.tree()])
    manifest.publish.mode = .atomic
    let shared = manifest
    let refusal = await #expect(throws: RunRefusal.self) {
      try await world.apply(shared, shard: Shard(1, of: 2))
    }
    #expect(refusal?.status == .usage)
  }

  @Test("a shard's state begins with what is known of its own files")
  func seed() async throws {
    let world = try TreeWorld(TreeWorld.numbered(50))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest)
    let states = ShardStates(beside: StateLocation(root: world.root.path("out")))
    for shard in try shards(3) {
      var options = StateStore.Options()
      options.seed = StateSeed(whole: states.whole, shard: shard)
      let state = try StateStore(states.location(of: shard), access: .write, options: options)
      let paths = try (0..<50).map { try RelativePath("m/" + TreeWorld.padded($0)) }
      for path in paths {
        #expect(try (state.row(for: path) != nil) == shard.owns(path))
        let known = try world.state().row(for: path)
        if shard.owns(path) { #expect(try state.row(for: path) == known) }
      }
      #expect(try state.runs(limit: 5) == world.state().runs(limit: 1))
      try state.close()
    }
    #expect(try Set(states.standing()) == Set(try shards(3)))
  }

  @Test(
    "the files of shards' states",
    arguments: [
      ("shard-3-of-8.db", "3/8"), ("shard-8-of-8.db", "8/8"), ("shard-9-of-8.db", nil), ("shard-3-of-8.db-wal", nil),
      ("shard-3-of-8.lock", nil), ("state.db", nil), ("shard-3-of-8.db.damaged-1", nil), ("shard-3-8.db", nil),
      ("shard-.db", nil), ("shard-03-of-8.db", nil),
    ] as [(String, String?)])
  func names(file: String, shard: String?) {
    #expect(ShardStates.shard(ofFile: file)?.description == shard)
  }
}
