// Reading a tree again, mending it, explaining it.

import Glibc
import MirrorPlan
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

/// True when the file was removed.
func unlinkFile(_ path: String) -> Bool { unlink(path) == 0 }

@Suite struct VerifyRunTests {
  private func filled() async throws -> LockWorld {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    world.emulator.clearLog()
    return world
  }

  @Test func `a tree as it was written is proven without a request`() async throws {
    let world = try await filled()
    let (result, findings) = try await world.verify(lock: try world.lockFile())
    #expect(findings.map(\.verdict) == Array(repeating: .proven, count: 5))
    #expect(findings.map(\.destination) == ["one", "tree/1", "tree/2", "two", "web"])
    #expect(result.isComplete && result.tally.status() == .done)
    #expect(world.requests == [])
  }

  @Test func `what was proven is passed by for a while, unless it was touched`() async throws {
    let world = try await filled()
    let (fresh, _) = try await world.verify(within: .seconds(3_600))
    #expect(fresh.totals[.fresh] == 5)
    var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, world.folder.path("out/one"), &times, 0) == 0)
    let (touched, _) = try await world.verify(within: .seconds(3_600))
    #expect(touched.totals[.fresh] == 4 && touched.totals[.proven] == 1)
    let (old, _) = try await world.verify(within: .zero)
    #expect(old.totals[.proven] == 5)
  }

  @Test func `bytes that changed behind an unmoved stamp are found, and mended by the lock`() async throws {
    let world = try await filled()
    let lock = try world.lockFile()
    try rot(world, "out/tree/1", "text of t/X")
    #expect(unlinkFile(world.folder.path("out/two")))
    try world.folder.write("?", to: "out/stranger")
    // The live object is another by now; the lock has it in an older generation, which this bucket keeps not.
    let (result, findings) = try await world.verify(lock: lock, forgetting: true)
    let verdicts = Dictionary(uniqueKeysWithValues: findings.map { ($0.destination, $0.verdict) })
    #expect(verdicts["tree/1"] == .wrong && verdicts["two"] == .missing && verdicts["stranger"] == .unknown)
    #expect(result.tally.status() == .failedForGood)
    #expect(result.faults.map(\.text) == ["tree/1", "two"])
    let faults = Set(result.faults)
    let (repair, outcomes) = try await world.apply {
      $0.selection = faults
      $0.lock = .frozen(lock)
    }
    #expect(repair.status == .done)
    #expect(Set(outcomes.keys) == ["tree/1", "two"])
    #expect(try world.folder.readText("out/tree/1") == "text of t/1")
    #expect(world.folder.exists("out/stranger"))
    #expect(try await world.verify(lock: lock).result.totals.faults == 0)
  }

  @Test func `without lock and state the pins are what is known`() async throws {
    var world = try LockWorld()
    world.hasTree = false
    try world.folder.makeFolder("out")
    let (result, findings) = try await world.verify()
    #expect(findings.map(\.verdict) == [.missing, .missing, .missing])
    #expect(result.tally.status() == .failedForGood)
    let nothing = try LockWorld()
    #expect(try await nothing.verify().result.totals[.missing] == 3, "a root that does not exist has nothing")
  }

  @Test func `an explanation asks, and names the row`() async throws {
    let world = try await filled()
    let item = try await world.with { try await $0.explain(try RelativePath("one")) }
    #expect(item.rulings.map(\.rule) == [.row18])
    #expect(item.decision.action == .skip)
    let tree = try await world.with { try await $0.explain(try RelativePath("tree/1")) }
    #expect(tree.rulings.map(\.rule) == [.row21] && tree.tree != nil)
    let lock = try world.lockFile()
    world.emulator.clearLog()
    let locked = try await world.with({ $0.lock = .locked(lock) }) { try await $0.explain(try RelativePath("one")) }
    #expect(locked.rulings.map(\.rule) == [.row4] && locked.requests.isEmpty)
    #expect(world.requests == [])
    let refusal = await #expect(throws: RunRefusal.self) {
      try await world.with { try await $0.explain(try RelativePath("onw")) }
    }
    #expect(refusal?.failure.hint == "did you mean `one`?")
  }

  @Test func `status tells the last success from the last run, and names what is stale`() async throws {
    let world = try await filled()
    world.emulator.objects.remove("b", "one")
    #expect(unlinkFile(world.folder.path("out/one")))
    try await world.apply()
    let status = try await world.with { try $0.status() }
    #expect(status.history.last?.exitStatus == 3)
    #expect(status.history.lastSuccess?.exitStatus == 0)
    #expect(status.history.failedRuns == 1)
    #expect(status.stale.map(\.destination) == ["one"] && status.stale.first?.staleness == .missing)
    #expect(status.failing.map(\.place) == ["one"])
  }

  /// Writes other bytes of the same length and puts the time back, as a failing disk would.
  private func rot(_ world: LockWorld, _ path: String, _ text: String) throws {
    let before = try world.folder.entry(path)
    let descriptor = open(world.folder.path(path), O_WRONLY)
    #expect(descriptor >= 0)
    defer { close(descriptor) }
    _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    let time = timespec(
      tv_sec: Int(before.modified / 1_000_000_000), tv_nsec: Int(before.modified % 1_000_000_000))
    var times = [time, time]
    #expect(futimens(descriptor, &times) == 0)
  }
}
