// The program itself, killed at any moment by the system, held against the same model.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct KilledProgramTests {
  private let server: StorageEmulator
  private let folder: TemporaryDirectory
  private let manifest: ModelManifest

  init() throws {
    // Slow enough to be killed in the middle.
    server = try StorageEmulator(
      EmulatorConfiguration(faults: "bucket b\non media b/t/* => delay 5ms\non media b/t/big => throttle 20MiB/s"))
    folder = try TemporaryDirectory(on: .memory)
    manifest = ModelManifest(
      items: [], trees: [ModelManifest.Tree(prefix: "t/", destination: "t", prunes: true, keepsTrash: true)])
    try folder.write(
      """
      version: 1
      root: out
      storage: {bucket: b, api: gcs, emulator: "127.0.0.1:\(server.port)"}
      defaults: {retry: {for: 1s}}
      trees: [{ref: "gs://b/t/", to: t, prune: {enabled: true, max: 100%, trash: 1d}}]

      """, to: "mirror.yaml")
    try folder.write("mine", to: "out/t/folder1/user", mode: 0o600)
  }

  /// Some objects are replaced, made or removed.
  private func change(_ bucket: inout [String: [UInt8]], _ dice: inout ModelDice) {
    for _ in 0..<12 {
      let name = dice.chance(10) ? "t/big" : "t/folder\(dice.number(1...4))/\(dice.number(1...12))"
      bucket[name] =
        dice.chance(25)
        ? nil : name == "t/big" ? Array(repeating: UInt8(dice.number(0...255)), count: 4 << 20) : dice.bytes()
      if let bytes = bucket[name] { server.objects.put("b", name, bytes) } else { server.objects.remove("b", name) }
    }
    // An empty list prunes nothing, so there is always something.
    bucket["t/always"] = [1]
    server.objects.put("b", "t/always", [1])
  }

  private func start() throws -> ChildProcess {
    try ChildProcess(BuiltProducts.mirror, ["apply", "-q", "mirror.yaml"], in: folder.path)
  }

  private func look() throws -> [String: TreeEntry] { try ModelWorld.look(in: folder) }

  @Test func `mirror apply, killed fifteen times over a tree that changes: nothing but old or new, then all is new`()
    throws
  {
    var dice = ModelDice(seed: 15)
    var bucket: [String: [UInt8]] = [:]
    var books = ModelBooks()
    for round in 0..<15 {
      change(&bucket, &dice)
      let (before, child) = (try look(), try start())
      _ = child.wait(for: .milliseconds(Int64(dice.number(5...250))))
      child.send(signal: SIGKILL)
      #expect(child.wait() != nil)
      let (after, wanted) = (try look(), WantedTree(manifest, of: bucket))
      let ran = ModelWorld.Ran(outcomes: [], complaints: [], wasStopped: false)
      let judge = ModelJudge(
        manifest, wanted, before: before, after: after, ran, .killed, books, trash: try ModelWorld.trash(in: folder),
        listsLie: false)
      #expect(judge.problems == [], "round \(round)")
      for entry in after.values where wanted.files[entry.path] != nil && before[entry.path] != entry {
        books.mayHaveWritten(entry)
      }
    }
    let last = try start()
    #expect(last.wait() == .exited(0))
    let after = try look().filter { $0.value.kind != .folder && $0.key != "t/folder1/user" }
    let wanted = WantedTree(manifest, of: bucket).files
    // What a killed run had put in place and not yet recorded is nobody's, so nothing prunes it.
    let unrecorded = after.filter { wanted[$0.key] == nil }
    #expect(unrecorded.values.allSatisfy { books.mayDelete($0) })
    #expect(Set(wanted.keys).isSubset(of: after.keys))
    for (path, want) in wanted { #expect(want.bytes.map { after[path]?.kind == .file($0) } == true, "\(path)") }
    #expect(try folder.readText("out/t/folder1/user") == "mine")
    #expect(try folder.tree(below: "out").filter { ModelPaths.isPart($0.path) } == [])
  }
}
