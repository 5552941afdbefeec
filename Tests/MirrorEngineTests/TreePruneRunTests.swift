// Pruning from end to end: what is deleted, and above all what is not.

import MirrorPlan
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Pruning a tree")
struct TreePruneRunTests {
  @Test("W05: what left the bucket leaves the tree, into the trash; without prune it stays")
  func prunes() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree()])
    #expect(try await world.apply(manifest).count(.downloaded) == 20)
    world.remove("m/003")

    let kept = try await world.apply(world.manifest([try world.tree(prune: PruneSettings())]))
    #expect(kept.status == .done && kept.count(.deleted) == 0)
    #expect(try world.files()["m/003"] == "003")

    let plan = try await world.plan(manifest)
    #expect(plan.filter { $0.action == .delete }.map(\.destination) == ["m/003"])
    #expect(try world.files()["m/003"] == "003")

    let ran = try await world.apply(manifest)
    #expect(ran.status == .done)
    #expect(ran.deleted == ["m/003"])
    #expect(ran["m/003"]?.reason == .gone)
    #expect(ran.media == 0)
    #expect(try world.files().count == 19)
    #expect(try world.trash() == ["m/003"])
    #expect(try world.state().row(for: RelativePath("m/003")) == nil)
    #expect(try await world.apply(manifest).count(.unchanged) == 19)
  }

  @Test("a file of the trash goes when its time is over, not before; `trash: none` keeps none")
  func trashAge() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, trash: .seconds(7 * 86_400)))])
    _ = try await world.apply(manifest)
    world.remove("m/003")
    _ = try await world.apply(manifest)
    _ = try await world.apply(manifest, later: .seconds(6 * 86_400))
    #expect(try world.trash() == ["m/003"])
    try world.root.write("mine", to: "out/.mirror/trash/notes/x")
    _ = try await world.apply(manifest, later: .seconds(8 * 86_400))
    #expect(try world.trash() == ["x"])

    world.remove("m/004")
    let none = world.manifest([try world.tree(prune: PruneSettings(enabled: true, trash: nil))])
    #expect(try await world.apply(none).deleted == ["m/004"])
    #expect(try world.trash() == ["x"])
    #expect(try !world.files().keys.contains("m/004"))
  }

  @Test("P60 (a), (d), P54: an empty or shrunk listing deletes nothing and is exit 5 with both counts")
  func shrunk() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest)
    for number in 5..<20 { world.remove("m/" + TreeWorld.padded(number)) }
    let shrunk = try await world.apply(manifest)
    #expect(shrunk.status == .safetyStop)
    #expect(shrunk.failures.map(\.reason) == [.pruneRefused])
    #expect(shrunk.failures.first?.message.contains("5 wanted objects where 20 files are recorded") == true)

    for number in 0..<5 { world.remove("m/" + TreeWorld.padded(number)) }
    let empty = try await world.apply(
      world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))]))
    #expect(empty.status == .safetyStop)
    #expect(try world.files().count == 20)
    #expect(try world.trash().isEmpty)

    // Later it is back, and all is well.
    for (name, text) in TreeWorld.numbered(20) { world.put(name, text) }
    let back = try await world.apply(manifest)
    #expect(back.status == .done && back.media == 0)
  }

  @Test(
    "P60 (b), W06: a listing that fails deletes nothing",
    arguments: [
      "on list => status 403", "on list => status 404", "on list => status 500",
      "on list => list error 500 on page 1", "on list => list duplicate",
    ])
  func listingFails(fault: String) async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    world.remove("m/003")
    try world.emulator.play(fault)
    let ran = try await world.apply(manifest)
    #expect(ran.status != .done)
    #expect(ran.count(.deleted) == 0)
    #expect(try world.files().count == 20)
  }

  @Test("P61, M13: a list that never ends is ended, and deletes nothing")
  func endless() async throws {
    let world = try TreeWorld()
    world.emulator.objects.generate("b", GeneratedNames(count: 1_001, prefix: "m/"))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    #expect(try await world.apply(manifest).count(.downloaded) == 1_001)
    world.emulator.objects.generate("b", GeneratedNames(count: 1_001, prefix: "m/", suffix: "x"))
    try world.emulator.play("on list => list repeat-token")
    let ran = try await world.apply(manifest)
    #expect(ran.failures.map(\.reason) == [.listingFailed])
    #expect(ran.deleted.isEmpty && ran.lists <= 3)
    #expect(try world.files().count >= 1_001)
  }

  @Test("P54: a valid list that lacks objects for once stays below no cap")
  func emptyOnce() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    try world.emulator.play("on list => list empty")
    #expect(try await world.apply(manifest).status == .safetyStop)
    try world.emulator.play("")
    #expect(try await world.apply(manifest).status == .done)
    #expect(try world.files().count == 20)
  }

  @Test("P60: files that mirror did not write stay, whatever the cap")
  func foreign() async throws {
    let world = try TreeWorld(TreeWorld.numbered(3))
    try world.root.write("mine", to: "out/m/mine.txt")
    // The very bytes of an object, but put there by someone else: taken over as they are, and never owned.
    try world.root.write("000", to: "out/m/000")
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    #expect(try await world.apply(manifest).count(.adopted) == 1)
    world.remove("m/000")
    world.remove("m/001")
    #expect(try await world.apply(manifest).deleted == ["m/001"])
    #expect(try world.files() == ["m/000": "000", "m/002": "002", "m/mine.txt": "mine"])
  }

  @Test("a file that was changed here is kept, and the report says so")
  func changedHere() async throws {
    let world = try TreeWorld(TreeWorld.numbered(3))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    try world.root.write("edited", to: "out/m/000")
    world.remove("m/000")
    let ran = try await world.apply(manifest)
    #expect(ran.status == .done && ran.deleted.isEmpty)
    #expect(ran["m/000"]?.reason == .localChange)
    #expect(try world.files()["m/000"] == "edited")
    #expect(try await world.plan(manifest).contains { $0.destination == "m/000" && $0.reason == .localChange })
  }

  @Test("an item's file below the tree is not the tree's, nor is one that an item took over")
  func items() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20).merging(["other": "other"]) { $1 })
    let tree = try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))
    _ = try await world.apply(world.manifest([tree]))
    world.remove("m/003")
    let items = [try world.item("other", to: "m/item"), try world.item("other", to: "m/003")]
    let ran = try await world.apply(world.manifest([tree], items: items))
    #expect(ran.status == .done && ran.deleted.isEmpty)
    #expect(try world.files()["m/003"] == "other")
    #expect(try world.files()["m/item"] == "other")
  }

  @Test("an object that is excluded, or whose name is in conflict, is not gone")
  func notGone() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let prune = PruneSettings(enabled: true, cap: .percent(100))
    _ = try await world.apply(world.manifest([try world.tree(prune: prune)]))
    let excluding = try world.tree(prune: prune, exclude: ["00*"])
    #expect(try await world.apply(world.manifest([excluding])).deleted.isEmpty)

    // `m/d/x` is a file here; then an object `m/d` makes it impossible, and both stand still.
    world.put("m/d/x", "x")
    _ = try await world.apply(world.manifest([try world.tree(prune: prune)]))
    world.put("m/d", "d")
    let conflict = try await world.apply(world.manifest([try world.tree(prune: prune)]))
    #expect(conflict.status == .failedForGood)
    #expect(conflict.deleted.isEmpty)
    #expect(try world.files()["m/d/x"] == "x")
  }

  @Test("P62: an empty page in the middle hides nothing")
  func emptyPage() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    try world.emulator.play("on list => list empty-page 1")
    let ran = try await world.apply(manifest)
    #expect(ran.status == .done && ran.count(.unchanged) == 20 && ran.deleted.isEmpty)
  }

  @Test("folders that become empty go, those with a marker or another file stay")
  func folders() async throws {
    let world = try TreeWorld([
      "m/a/b/c/1": "1", "m/a/b/2": "2", "m/k/": "", "m/k/sub/3": "3", "m/mixed/4": "4", "m/stay": "stay",
    ])
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .count(10)))])
    _ = try await world.apply(manifest)
    try world.root.write("mine", to: "out/m/mixed/mine")
    for name in ["m/a/b/c/1", "m/a/b/2", "m/k/sub/3", "m/mixed/4"] { world.remove(name) }
    #expect(try await world.apply(manifest).count(.deleted) == 4)
    let left = try world.root.tree(below: "out").map(\.path).filter { !$0.hasPrefix("out/.mirror") }
    #expect(left == ["out/m", "out/m/k", "out/m/mixed", "out/m/mixed/mine", "out/m/stay"])
  }

  @Test("a file that became a folder in the bucket, and the other way round, arrives by one run, as planned")
  func fileAndFolder() async throws {
    let world = try TreeWorld(["m/f": "file", "m/d/x": "x", "m/stay": "stay"])
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    world.remove("m/f")
    world.remove("m/d/x")
    world.put("m/f/inner", "inner")
    world.put("m/d", "now a file")
    let plan = try await world.plan(manifest)
    let first = try await world.apply(manifest)
    #expect(first.status == .done)
    #expect(first["m/f/inner"]?.action == .download && first["m/d"]?.action == .download)
    #expect(first.deleted == ["m/d/x", "m/f"])
    #expect(Set(plan.filter { $0.action == .download }.map(\.destination)) == ["m/d", "m/f/inner"])
    #expect(try world.files() == ["m/f/inner": "inner", "m/d": "now a file", "m/stay": "stay"])
  }

  @Test("P92: a run over a part of the entries deletes nothing")
  func partial() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree()])
    _ = try await world.apply(manifest)
    world.remove("m/003")
    #expect(try await world.apply(manifest, shard: Shard(1, of: 1)).deleted.isEmpty)
    #expect(try await world.apply(manifest).deleted == ["m/003"])
  }

  @Test("P60 (c): a tree into the root itself deletes only what it wrote")
  func wholeRoot() async throws {
    let world = try TreeWorld(["a": "a", "m/x": "x", "n/y": "y"])
    try world.root.write("mine", to: "out/mine")
    let whole = try world.tree(nil, to: nil, prune: PruneSettings(enabled: true, cap: .percent(100)))
    let part = try world.tree("m/", to: "elsewhere", prune: PruneSettings(enabled: true, cap: .percent(100)))
    _ = try await world.apply(world.manifest([whole, part]))
    world.remove("a")
    #expect(try await world.apply(world.manifest([whole, part])).deleted == ["a"])
    #expect(try world.files() == ["m/x": "x", "n/y": "y", "elsewhere/x": "x", "mine": "mine"])
  }

  @Test("Firebase's API, whose lists come by folders, prunes as well")
  func firebase() async throws {
    let world = try TreeWorld(["m/a": "a", "m/d/b": "b", "m/d-e": "e", "m/d/f/g": "g"])
    let manifest = world.manifest(
      [try world.tree(prune: PruneSettings(enabled: true, cap: .percent(50)))], api: .firebase)
    #expect(try await world.apply(manifest).count(.downloaded) == 4)
    world.remove("m/d/f/g")
    #expect(try await world.apply(manifest).deleted == ["m/d/f/g"])
    #expect(try world.files() == ["m/a": "a", "m/d/b": "b", "m/d-e": "e"])
  }
}
