// Trees from end to end, without pruning: what a second run costs, names that cannot be had, files that were changed here.

import Glibc
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Mirroring a tree")
struct TreeRunTests {
  @Test("W01, P52, P51: a second run asks for the list and writes nothing", arguments: [StorageSettings.API.gcs])
  func nothingToDo(api: StorageSettings.API) async throws {
    let world = try TreeWorld(TreeWorld.numbered(50).merging(["m/dir/": ""]) { $1 })
    // Both spellings of one letter (P70).
    world.put("m/dir/\u{E9}", "nfc")
    world.put("m/dir/e\u{301}", "nfd")
    let manifest = world.manifest([try world.tree()], api: api)
    #expect(try await world.apply(manifest).count(.downloaded) == 52)
    let before = try world.root.tree(below: "out").filter { !$0.path.hasPrefix("out/.mirror") }
    let ran = try await world.apply(manifest)
    #expect(ran.status == .done && ran.count(.unchanged) == 52)
    #expect(ran.requests.count == 1 && ran.lists == 1)
    let after = try world.root.tree(below: "out").filter { !$0.path.hasPrefix("out/.mirror") }
    #expect(after == before)
  }

  @Test("W02, W03, W04: of many, only what changed on either side is fetched")
  func changes() async throws {
    let world = try TreeWorld(TreeWorld.numbered(30))
    let manifest = world.manifest([try world.tree(prune: PruneSettings())])
    _ = try await world.apply(manifest)
    world.put("m/001", "changed there")
    world.put("m/0015", "new between two")
    try world.root.write("changed here", to: "out/m/002")
    unlink(world.root.path("out/m/003"))
    let ran = try await world.apply(manifest)
    #expect(
      ran.outcomes.filter { $0.outcome != .unchanged }.map(\.destination).sorted() == [
        "m/001", "m/0015", "m/002", "m/003",
      ])
    #expect(ran.media == 4)
    let expected = TreeWorld.numbered(30).merging(["m/001": "changed there", "m/0015": "new between two"]) { $1 }
    #expect(try world.files() == expected)
  }

  @Test("P38, P67, P68, P71, P72, R01–R11: a name that cannot be had is one row; the others arrive")
  func names() async throws {
    let long = String(repeating: "x", count: 256)
    let world = try TreeWorld([
      "m/ok": "ok", "m/a//b": "1", "m//abs": "2", "m/a/./b": "3", "m/../up": "4", "m/..": "5", "m/\(long)": "6",
      "m/.mirror/state.db": "7", "m/.mirror-x": "8", "m/d/": "", "m/d/x": "x", "m/full/": "3 bytes", "m/foo": "foo",
      "m/foo/bar": "bar", "m/new\nline \u{1B}[1m": "esc", "m/a\\b": "back", "m/ x ": "space", "m/%2e%2e%2fy": "percent",
      "m/．．/full-width": "wide",
    ])
    try world.root.write("a file", to: "out/m/blocked")
    try world.root.makeFolder("out/m/folder")
    world.put("m/blocked/inner", "1")
    world.put("m/folder", "1")
    world.put("m/blocked-dir", "a file, where a marker follows")
    let ran = try await world.apply(world.manifest([try world.tree(prune: PruneSettings())]))
    #expect(ran.status == .failedForGood)
    let reasons = ran.outcomes.reduce(into: [String: ReasonCode]()) { $0[$1.destination] = $1.failure?.reason }
    #expect(
      reasons == [
        "m/a//b": .emptyNamePart, "m//abs": .emptyNamePart, "m/a/./b": .unsafeName, "m/../up": .unsafeName,
        "m/..": .unsafeName, "m/\(long)": .nameTooLong, "m/.mirror/state.db": .reservedName,
        "m/.mirror-x": .reservedName,
        "m/full/": .markerWithContent, "m/foo/bar": .nameConflict, "m/blocked/inner": .notADirectory,
        "m/folder": .isADirectory,
      ])
    #expect(
      try world.files() == [
        "m/ok": "ok", "m/d/x": "x", "m/foo": "foo", "m/new\nline \u{1B}[1m": "esc", "m/a\\b": "back", "m/ x ": "space",
        "m/%2e%2e%2fy": "percent", "m/．．/full-width": "wide", "m/blocked": "a file",
        "m/blocked-dir": "a file, where a marker follows",
      ])
    #expect(ran["m/folder"]?.action == .conflict && ran["m/blocked/inner"]?.action == .conflict)
    #expect(Set(try world.root.tree().map(\.path).filter { !$0.contains("/") }) == ["out"])
  }

  @Test("P67: a marker where a file stands is a conflict of its own")
  func markerOverFile() async throws {
    let world = try TreeWorld(["m/d/": "", "m/ok": "ok"])
    try world.root.write("a file", to: "out/m/d")
    let ran = try await world.apply(world.manifest([try world.tree()]))
    #expect(ran.status == .failedForGood)
    #expect(ran["m/d/"]?.failure?.reason == .notADirectory)
    #expect(try world.files() == ["m/d": "a file", "m/ok": "ok"])
  }

  @Test("P42, R13: nothing is written through a link below the root")
  func links() async throws {
    let world = try TreeWorld(["m/link/x": "x", "m/f": "new"])
    try world.root.write("outside", to: "outside/f")
    try world.root.makeFolder("out/m")
    symlink(world.root.path("outside"), world.root.path("out/m/link"))
    symlink(world.root.path("outside/f"), world.root.path("out/m/f"))
    let ran = try await world.apply(world.manifest([try world.tree()]))
    #expect(ran["m/link/x"]?.failure?.reason == .symlinkRefused && ran["m/link/x"]?.action == .conflict)
    #expect(try world.root.files(below: "outside") == ["outside/f": Array("outside".utf8)])
    #expect(try world.files()["m/f"] == "new")
  }

  @Test("P69: two names that are one on this file system are a conflict, never the last one's file")
  func caseCollision() async throws {
    let world = try TreeWorld(["m/A.txt": "A", "m/a.txt": "a", "m/other": "o"])
    let inventory = EntryInventory(
      tree: try world.tree(), claims: EntryClaims(foldsCase: true), isIncluded: { _ in true })
    var rows = inventory
    let admitted = ["m/A.txt", "m/a.txt", "m/other"].map { rows.admit(ListedObject(ObjectName($0))) }
    guard case .refused(let row) = admitted[1] else { throw Unexpected(admission: admitted[1]) }
    #expect(row.failure?.reason == .caseCollision && row.action == .conflict)
  }

  struct Unexpected: Error { var admission: Admission }

  @Test("on_local_change: keep leaves what was changed or found here, fail fails it, both fetch what is missing")
  func localChanges() async throws {
    for policy in [TransferSettings.LocalChangePolicy.keep, .fail] {
      let world = try TreeWorld(TreeWorld.numbered(5))
      let manifest = world.manifest([
        try world.tree(prune: PruneSettings(), TransferSettings(onLocalChange: policy))
      ])
      try world.root.write("found here", to: "out/m/004")
      _ = try await world.apply(manifest)
      try world.root.write("edited", to: "out/m/001")
      unlink(world.root.path("out/m/002"))
      world.put("m/003", "new there")
      let ran = try await world.apply(manifest)
      #expect(
        try world.files() == [
          "m/000": "000", "m/001": "edited", "m/002": "002", "m/003": "new there", "m/004": "found here",
        ])
      #expect(ran["m/001"]?.outcome == (policy == .keep ? .unchanged : .failed))
      #expect(ran["m/001"]?.reason.text == "local_change")
      #expect(ran["m/004"]?.outcome == (policy == .keep ? .unchanged : .failed))
      #expect(ran.status == (policy == .keep ? .done : .failedForGood))
    }
  }

  @Test("a touched file gets its time back and a changed mode is set, without a download")
  func metadata() async throws {
    let world = try TreeWorld(TreeWorld.numbered(3))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(), TransferSettings(mode: 0o640))])
    _ = try await world.apply(manifest)
    let before = try world.root.entry("out/m/001")
    chmod(world.root.path("out/m/000"), 0o600)
    let times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 5, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, world.root.path("out/m/001"), times, 0) == 0)
    let ran = try await world.apply(manifest)
    #expect(ran["m/000"]?.outcome == .metadataSet && ran["m/001"]?.outcome == .metadataSet)
    #expect(ran["m/001"]?.reason == .mtimeDrift)
    #expect(ran.media == 0)
    #expect(try world.root.entry("out/m/001") == before)
    #expect(try world.root.entry("out/m/000").mode == 0o640)
    #expect(try await world.apply(manifest).count(.unchanged) == 3)
  }

  @Test("P55: one bad object of many does not stop the others, and the state knows since when it fails")
  func staleObject() async throws {
    let world = try TreeWorld(TreeWorld.numbered(20))
    let manifest = world.manifest([try world.tree(prune: PruneSettings())])
    try world.emulator.play("on media b/m/007 => status 403")
    #expect(try await world.apply(manifest).status == .failedForGood)
    let first = try #require(try world.state().failure(at: "m/007"))
    #expect(first.runs == 1 && first.since == first.last && first.reason == .unauthorized)
    for number in 0..<20 { world.put("m/" + TreeWorld.padded(number), "again") }
    let ran = try await world.apply(manifest)
    #expect(ran.count(.updated) == 19 && ran.count(.failed) == 1)
    let second = try #require(try world.state().failure(at: "m/007"))
    #expect(second.runs == 2 && second.since == first.since && second.last > first.last)
    #expect(second.tree == first.tree && second.tree != nil)

    // A listing that fails says nothing of its objects: what failed is failing still.
    try world.emulator.play("on list => status 403")
    #expect(try await world.apply(manifest).status == .failedForGood)
    #expect(try world.state().failureCount() == 2)
    #expect(try world.state().failures(limit: 10).map(\.place).contains("m/007"))

    try world.emulator.play("")
    #expect(try await world.apply(manifest).status == .done)
    #expect(try world.state().failureCount() == 0)
  }

  @Test(
    "P70: a 404 whose twin in the other Unicode form is there says so", arguments: [StorageSettings.API.gcs, .firebase])
  func twin(api: StorageSettings.API) async throws {
    let world = try TreeWorld(["d/caf\u{E9}.txt": "x"])
    let items = [try world.item("d/cafe\u{301}.txt", to: "a"), try world.item("d/th\u{E9}.txt", to: "b")]
    let manifest = world.manifest([], items: items, api: api)
    let ran = try await world.apply(manifest)
    #expect(ran.status == .failedForGood)
    #expect(ran["a"]?.failure?.hint?.contains("U+00E9") == true)
    #expect(ran["b"]?.failure?.hint?.contains("U+") != true)
    let rows = try await world.plan(manifest)
    #expect(rows.first { $0.destination == "a" }?.failure?.hint?.contains("U+00E9") == true)
  }
}
