// The state is a cache: losing or damaging it, before or during a run, costs reading files, never a download or the run.

import Glibc
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Losing the state of a tree")
struct TreeStateLossTests {
  enum Damage: String, CaseIterable, Sendable {
    case deleted, folderDeleted, emptied, truncated, headerOverwritten, middleOverwritten, replacedByText

    func strike(_ root: String) {
      let file = root + "/out/.mirror/state.db"
      switch self {
      case .deleted: for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
      case .folderDeleted:
        for name in ["state.db", "state.db-wal", "state.db-shm", "lock"] { unlink("\(root)/out/.mirror/\(name)") }
        rmdir(root + "/out/.mirror")
      case .emptied: truncate(file, 0)
      case .truncated: truncate(file, 5_000)
      case .headerOverwritten: overwrite(file, at: 0, count: 100)
      case .middleOverwritten: overwrite(file, at: 4_096, count: 60_000)
      case .replacedByText:
        truncate(file, 0)
        overwrite(file, at: 0, count: 3_000)
      }
    }

    private func overwrite(_ file: String, at offset: Int, count: Int) {
      let descriptor = open(file, O_WRONLY | O_CLOEXEC)
      defer { close(descriptor) }
      let noise = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
      _ = noise.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    }
  }

  @Test("between two runs: nothing is downloaded, nothing is deleted, the run is done", arguments: Damage.allCases)
  func between(damage: Damage) async throws {
    let world = try TreeWorld(TreeWorld.numbered(300))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    #expect(try await world.apply(manifest).count(.downloaded) == 300)
    damage.strike(world.root.path)
    world.remove("m/299")
    let ran = try await world.apply(manifest)
    #expect(ran.status == .done)
    #expect(ran.media == 0)
    #expect(ran.count(.adopted) + ran.count(.unchanged) + ran.count(.deleted) == 299 + ran.count(.deleted))
    #expect(try world.files().count == 300 - ran.count(.deleted))
    let again = try await world.apply(manifest)
    #expect(again.status == .done && again.count(.unchanged) == 299 && again.media == 0)
    #expect(again.notices.isEmpty)
  }

  @Test(
    "during a run: it ends well, and the next one downloads nothing",
    arguments: [Damage.deleted, .truncated, .headerOverwritten, .middleOverwritten])
  func during(damage: Damage) async throws {
    let world = try TreeWorld(TreeWorld.numbered(400))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    let struck = Lock(false)
    let path = world.root.path
    let ran = try await world.apply(manifest) { _ in
      let isFirst = struck.withLock { struck in
        defer { struck = true }
        return !struck
      }
      if isFirst { damage.strike(path) }
    }
    #expect(ran.status == .done)
    #expect(ran.count(.downloaded) == 400)
    let next = try await world.apply(manifest)
    #expect(next.status == .done && next.media == 0 && next.count(.deleted) == 0)
    #expect(try world.files().count == 400)
  }

  @Test("flipped bits anywhere in the file cost no wrong file and no deletion")
  func flippedBits() async throws {
    let world = try TreeWorld(TreeWorld.numbered(100))
    let manifest = world.manifest([try world.tree(prune: PruneSettings(enabled: true, cap: .percent(100)))])
    _ = try await world.apply(manifest)
    let expected = try world.files()
    var random = SplitMix64(seed: 7)
    for _ in 0..<12 {
      var bytes = try world.root.read("out/.mirror/state.db")
      for _ in 0..<20 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try world.root.write(bytes, to: "out/.mirror/state.db")
      let ran = try await world.apply(manifest)
      #expect(ran.status == .done && ran.count(.deleted) == 0)
      #expect(ran.media == 0)
      #expect(try world.files() == expected)
    }
  }
}
