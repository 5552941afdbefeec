// `on_change`: who is told of what, and what becomes of it when that fails.

import CurlTransport
import Glibc
import LocalFiles
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("on_change: what counts as a change")
struct ChangeNotesTests {
  @Test("by action, after a run that ended and after one that did not", arguments: Action.allCases)
  func table(action: Action) {
    let ended: Set<Action> = [.delete, .metadata]
    #expect(ChangeNotes.isChange(action, lastRunEnded: true) == ended.contains(action))
    #expect(ChangeNotes.isChange(action, lastRunEnded: false) == ended.union([.adopt]).contains(action))
  }
}

@Suite("on_change: the list")
struct DestinationListTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func paths(_ texts: [String]) throws -> [RelativePath] { try texts.map { try RelativePath($0) } }

  private func told(_ list: DestinationList) throws -> [String] {
    try list.withReader { reader in
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = read(reader, &bytes, bytes.count)
      return bytes[..<max(0, count)].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test("keeps names of every kind in order, over several runs, until they were told")
  func kept() throws {
    let names = ["a", "b/line\nfeed", "c d", "ü", "a"]
    try DestinationList(in: folder.path, name: "changed").note(paths(Array(names[..<2])))
    let next = try DestinationList(in: folder.path, name: "changed")
    try next.note(paths(Array(names[2...])))
    try next.note([])
    #expect(try next.count() == names.count)
    #expect(try told(next) == names)
    try next.clear()
    #expect(try next.count() == 0)
    try next.note(paths(["z"]))
    #expect(try told(DestinationList(in: folder.path, name: "changed")) == ["z"])
  }

  @Test("counts beyond one piece of what is read")
  func many() throws {
    let list = try DestinationList(in: folder.path, name: "changed")
    let long = String(repeating: "x", count: 200)
    for number in 0..<40 { try list.note(paths((0..<50).map { "\(long)/\(number)-\($0)" })) }
    #expect(try list.count() == 2_000)
  }

  @Test("a place that cannot be written is an error that names it")
  func refused() throws {
    let error = try #require(throws: TransferFailure.self) {
      try DestinationList(in: folder.path("none"), name: "changed")
    }
    #expect(error.message.contains("none/changed") && error.failureClass == .local)
    #expect(symlink("elsewhere", folder.path("changed")) == 0)
    #expect(throws: TransferFailure.self) { try DestinationList(in: folder.path, name: "changed") }
  }
}

@Suite("on_change: the program")
struct ChangeHookTests {
  private let folder: TemporaryDirectory
  private let list: DestinationList
  private let control = RunControl()

  init() throws {
    folder = try TemporaryDirectory()
    list = try DestinationList(in: folder.path, name: "changed")
    try list.note([try RelativePath("a b"), try RelativePath("c")])
  }

  private func hook(_ script: String, patience: Duration = .seconds(60)) -> ChangeHook {
    ChangeHook(
      words: ["sh", "-c", script, "hook", "$HOME *"], changes: list, folder: folder.path, root: "/the/root",
      runID: "run-7", control: control, clocks: SystemClocks(), patience: patience)
  }

  @Test("starts in the manifest's folder with the list, its words and what it should know; then the list is empty")
  func told() throws {
    let script =
      "{ tr '\\0' '|'; printf '%s|' \"$1\" \"$MIRROR_ON_CHANGE_ROOT\" $MIRROR_ON_CHANGE_COUNT $MIRROR_ON_CHANGE_RUN; } >out"
    #expect(try hook(script).run() == "sh was told of 2 changes.")
    #expect(try folder.readText("out") == "a b|c|$HOME *|/the/root|2|run-7|")
    #expect(try list.count() == 0)
    #expect(try hook("touch again").run() == nil)
    #expect(!folder.exists("again"))
  }

  @Test(
    "fails: an error that says how, and the list is kept",
    arguments: [("exit 3", "exit status 3"), ("kill -9 $$", "killed by signal 9")])
  func failed(script: String, how: String) throws {
    let failure = try #require(throws: TransferFailure.self) { try hook(script).run() }
    #expect(failure.reason == .commandFailed && failure.message.contains("sh failed (\(how))"))
    #expect(try list.count() == 2)
  }

  @Test("is not there: an error that names it")
  func missing() throws {
    let hook = ChangeHook(
      words: ["no-such-program-zq"], changes: list, folder: folder.path, root: "/", runID: "", control: control,
      clocks: SystemClocks())
    let failure = try #require(throws: TransferFailure.self) { try hook.run() }
    #expect(failure.message.contains("no-such-program-zq cannot be started"))
    #expect(try list.count() == 2)
  }

  @Test("that does not end is ended, with what it has started")
  func endless() throws {
    let failure = try #require(throws: TransferFailure.self) {
      try hook("sleep 600 & echo $! >child; wait", patience: .milliseconds(300)).run()
    }
    #expect(failure.message.contains("did not end within"))
    let child = try #require(Int32(folder.readText("child").filter { $0.isNumber }))
    #expect(kill(child, 0) == -1 && errno == ESRCH || isZombie(child))
    #expect(try list.count() == 2)
  }

  @Test("ends when the run is told to")
  func stopped() throws {
    control.stop(.signal(2))
    let failure = try #require(throws: TransferFailure.self) { try hook("sleep 600").run() }
    #expect(failure.failureClass == .cancelled)
    #expect(try list.count() == 2)
  }

  /// A process whose parent has gone stays as a zombie where nobody collects orphans.
  private func isZombie(_ number: Int32) -> Bool {
    let bytes = (try? TemporaryDirectory.bytes(ofFile: "/proc/\(number)/stat")) ?? []
    let status = String(decoding: bytes, as: UTF8.self)
    return status.split(separator: ")").last?.hasPrefix(" Z") ?? false
  }
}

@Suite("on_change: over runs")
struct ChangeRunTests {
  private static func manifest(_ world: TreeWorld, _ script: String? = nil) throws -> Manifest {
    var manifest = world.manifest([try world.tree()])
    let log = world.root.path("log")
    manifest.onChange = ["sh", "-c", script ?? "tr '\\0' '\\n' >>\(log); echo . >>\(log)"]
    return manifest
  }

  private static func log(_ world: TreeWorld) -> String { (try? world.root.readText("log")) ?? "" }

  @Test("tells of what was fetched, replaced and deleted, and of nothing when nothing was")
  func told() async throws {
    let world = try TreeWorld(["m/a": "1", "m/b": "1", "m/c": "1"])
    let manifest = try Self.manifest(world)
    #expect(try await world.apply(manifest).status == .done)
    #expect(Self.log(world).split(separator: "\n").sorted() == [".", "m/a", "m/b", "m/c"])
    #expect(try await world.apply(manifest, later: .seconds(60)).status == .done)
    #expect(Self.log(world).split(separator: "\n").count == 4)
    world.put("m/b", "2")
    world.remove("m/c")
    var loose = manifest
    loose.trees[0].prune.cap = .percent(100)
    #expect(try await world.apply(loose, later: .seconds(120)).status == .done)
    #expect(Self.log(world).split(separator: "\n").dropFirst(4).sorted() == [".", "m/b", "m/c"])
  }

  @Test("is not run while an entry fails; the run that mends it tells of all")
  func failing() async throws {
    let world = try TreeWorld(["m/a": "1"])
    var manifest = try Self.manifest(world)
    manifest.items = ItemList([try world.item("later", to: "later")])
    let first = try await world.apply(manifest)
    #expect(first.status == .failedForGood && first.count(.downloaded) == 1)
    #expect(Self.log(world) == "")
    world.put("later", "x")
    #expect(try await world.apply(manifest, later: .seconds(60)).status == .done)
    #expect(Self.log(world) == "m/a\nlater\n.\n")
  }

  @Test("its failure is exit status 6, and the next run tells again, though it changes nothing")
  func hookFails() async throws {
    let world = try TreeWorld(["m/a": "1"])
    let first = try await world.apply(try Self.manifest(world, "exit 1"))
    #expect(first.status == .localResource)
    #expect(first.failures.map(\.reason) == [.commandFailed])
    let second = try await world.apply(try Self.manifest(world), later: .seconds(60))
    #expect(second.status == .done && second.count(.unchanged) == 1)
    #expect(Self.log(world) == "m/a\n.\n")
  }

  @Test("files that a run left that was killed before it could note them are told of by the next")
  func killed() async throws {
    let world = try TreeWorld(["m/a": "1"])
    let manifest = try Self.manifest(world)
    try world.root.write("1", to: "out/m/a")
    do {
      let state = try StateStore(StateLocation(root: world.root.path("out")), access: .write)
      try state.record(RunRecord(id: "killed", started: SystemClocks().utc()))
      try state.close()
    }
    let run = try await world.apply(manifest, later: .seconds(60))
    #expect(run.count(.adopted) == 1)
    #expect(Self.log(world) == "m/a\n.\n")
  }

  @Test("files that were there before the first run are no change")
  func adopted() async throws {
    let world = try TreeWorld(["m/a": "1"])
    try world.root.write("1", to: "out/m/a")
    #expect(try await world.apply(try Self.manifest(world)).count(.adopted) == 1)
    #expect(Self.log(world) == "")
  }

  @Test("runs after the flip of `publish: atomic`")
  func published() async throws {
    let world = try TreeWorld(["m/a": "1"])
    var manifest = try Self.manifest(world, "cat \(world.root.path("out/m/a")) >\(world.root.path("log"))")
    manifest.publish.mode = .atomic
    #expect(try await world.apply(manifest).status == .done)
    #expect(Self.log(world) == "1")
    world.put("m/a", "2")
    #expect(try await world.apply(manifest, later: .seconds(60)).status == .done)
    #expect(Self.log(world) == "2")
  }
}
