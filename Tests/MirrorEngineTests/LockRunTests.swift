// Whole runs that are held against a lock file or a written plan.

import MirrorPlan
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct LockRunTests {
  @Test func `a lock is the same before and after its objects were fetched`() async throws {
    let world = try LockWorld()
    #expect(try await world.lock().note != nil)
    let before = world.lockText
    #expect(before.contains(#"{"to": "tree/1", "ref": "gs://b/t/1", "generation": ""#))
    try await world.apply()
    _ = try await world.lock()
    #expect(world.lockText == before)
    try await world.apply { $0.lock = .update(nil, only: nil) }
    #expect(world.lockText == before)
  }

  @Test func `what is locked and proven is kept without a metadata request`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let lock = try world.lockFile()
    world.emulator.clearLog()
    #expect(try await world.apply { $0.lock = .locked(lock) }.result.status == .done)
    #expect(world.requests.count == 1, "the tree's list alone: \(world.requests)")
    world.emulator.clearLog()
    #expect(try await world.apply { $0.lock = .frozen(lock) }.result.status == .done)
    #expect(world.requests == [])
  }

  @Test func `P18 a lock rebuilds what is known after the state was lost`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let lock = try world.lockFile()
    for entry in try world.folder.tree(below: "out/.mirror") { _ = unlinkFile(world.folder.path(entry.path)) }
    world.emulator.clearLog()
    let (result, outcomes) = try await world.apply { $0.lock = .frozen(lock) }
    #expect(result.status == .done)
    #expect(outcomes.values.allSatisfy { $0.outcome == .adopted }, "\(outcomes.mapValues(\.outcome))")
    #expect(world.requests == [])
  }

  @Test func `an empty root is filled with exactly what is locked, generation by generation`() async throws {
    let world = try LockWorld()
    _ = try await world.lock()
    let lock = try world.lockFile()
    world.emulator.clearLog()
    #expect(try await world.apply { $0.lock = .frozen(lock) }.result.status == .done)
    #expect(try world.folder.readText("out/one") == "text of one")
    #expect(world.requests.contains { $0.contains("b/o/one") && $0.contains("generation=") })
    #expect(!world.requests.contains { $0.contains("prefix=") })
  }

  @Test func `an object that was replaced has drifted, and the file that stands stays`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let lock = try world.lockFile()
    world.emulator.objects.put("b", "one", text: "new")
    world.emulator.objects.put("b", "t/1", text: "new")
    let (result, outcomes) = try await world.apply { $0.lock = .locked(lock) }
    #expect(result.status == .safetyStop)
    #expect(outcomes["one"]?.outcome == .unchanged, "it is proven to be what is locked")
    #expect(outcomes["tree/1"]?.failure?.reason == .lockDrift)
    #expect(try world.folder.readText("out/tree/1") == "text of t/1")
  }

  @Test func `a generation that is gone is named, with what to do`() async throws {
    let world = try LockWorld()
    _ = try await world.lock()
    let lock = try world.lockFile()
    world.emulator.objects.put("b", "one", text: "new")
    let (result, outcomes) = try await world.apply { $0.lock = .frozen(lock) }
    #expect(result.status == .safetyStop)
    let failure = outcomes["one"]?.failure
    #expect(failure?.reason == .lockDrift)
    #expect(failure?.message.contains("generation") == true && failure?.message.contains("is gone") == true)
    #expect(failure?.hint?.contains("--update-lock=one") == true)
    #expect(!world.folder.exists("out/one"))
  }

  @Test func `Firebase's API cannot be asked for a generation, so another one is refused`() async throws {
    var world = try LockWorld()
    world.hasTree = false
    _ = try await world.lock()
    let lock = try world.lockFile()
    world.api = .firebase
    world.emulator.objects.put("b", "one", text: "new")
    let (_, outcomes) = try await world.apply { $0.lock = .frozen(lock) }
    #expect(outcomes["one"]?.failure?.reason == .lockDrift)
    #expect(outcomes["two"]?.outcome == .downloaded)
  }

  @Test func `objects that came and went are drift, and nothing locked is pruned`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let lock = try world.lockFile()
    world.emulator.objects.remove("b", "t/1")
    world.emulator.objects.put("b", "t/3", text: "new")
    let (result, outcomes) = try await world.apply { $0.lock = .locked(lock) }
    #expect(result.status == .safetyStop)
    #expect(outcomes["tree/1"]?.failure?.reason == .lockDrift)
    #expect(outcomes["tree/3"]?.failure?.reason == .lockDrift)
    #expect(world.folder.exists("out/tree/1") && !world.folder.exists("out/tree/3"))
  }

  @Test func `a lock of another manifest is refused before anything is done`() async throws {
    var world = try LockWorld()
    _ = try await world.lock()
    let lock = try world.lockFile()
    world.itemNames = ["one"]
    let fewer = await #expect(throws: RunRefusal.self) { try await world.apply { $0.lock = .locked(lock) } }
    #expect(fewer?.status == .safetyStop && fewer?.failure.message.contains("two is locked") == true)
    world.itemNames = ["one", "two", "three"]
    let more = await #expect(throws: RunRefusal.self) { try await world.apply { $0.lock = .frozen(lock) } }
    #expect(more?.failure.message.contains("three is not locked") == true)
    #expect(!world.folder.exists("out"))
  }

  @Test func `only what is named moves on`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let (lock, before) = (try world.lockFile(), world.lockText)
    for name in ["one", "two", "t/1"] { world.emulator.objects.put("b", name, text: "new \(name)") }
    let one: Set<RelativePath> = [try RelativePath("one")]
    #expect(try await world.apply { $0.lock = .update(lock, only: one) }.result.status == .done)
    #expect(try world.folder.readText("out/one") == "new one")
    #expect(try world.folder.readText("out/two") == "text of two")
    #expect(try world.folder.readText("out/tree/1") == "text of t/1")
    let changed = zip(before.split(separator: "\n"), world.lockText.split(separator: "\n")).filter { $0 != $1 }
    #expect(changed.count == 1 && changed.first?.1.contains("\"to\": \"one\"") == true)
  }

  @Test func `a lock is not written when something failed, nor for a name that nobody has`() async throws {
    let world = try LockWorld()
    try await world.apply { $0.lock = .update(nil, only: nil) }
    let before = world.lockText
    world.emulator.objects.remove("b", "one")
    let (result, _) = try await world.apply { $0.lock = .update(nil, only: nil) }
    #expect(result.status == .failedForGood && result.lockNote?.contains("left as it is") == true)
    #expect(world.lockText == before)
    #expect(try await world.lock().failures.map(\.place) == ["one"])
    #expect(world.lockText == before)
    let stranger: Set<RelativePath> = [try RelativePath("on")]
    let refusal = await #expect(throws: RunRefusal.self) {
      try await world.apply { $0.lock = .update(nil, only: stranger) }
    }
    #expect(refusal?.status == .usage)
  }

  // MARK: Plans

  @Test func `P58 a plan is done exactly`() async throws {
    let world = try LockWorld()
    let plan = try await world.plan()
    #expect(plan.count == 5)
    let (result, outcomes) = try await world.apply { $0.plan = plan }
    #expect(result.status == .done)
    #expect(outcomes.count == 5 && outcomes.values.allSatisfy { $0.outcome == .downloaded })
  }

  @Test func `P58 an entry whose facts have moved is refused, and the others are done`() async throws {
    let world = try LockWorld()
    let plan = try await world.plan()
    world.emulator.objects.put("b", "one", text: "replaced")
    world.emulator.objects.put("b", "t/9", text: "came later")
    world.emulator.objects.remove("b", "t/2")
    try world.folder.write("mine", to: "out/two")
    let (result, outcomes) = try await world.apply { $0.plan = plan }
    #expect(result.status == .safetyStop)
    for name in ["one", "two", "tree/9", "tree/2"] {
      #expect(outcomes[name]?.failure?.reason == .factsMoved, "\(name)")
    }
    #expect(outcomes["tree/1"]?.outcome == .downloaded)
    #expect(try world.folder.readText("out/two") == "mine")
    #expect(!world.folder.exists("out/one") && !world.folder.exists("out/tree/9"))
  }

  @Test func `a plan of another manifest is refused before anything is done`() async throws {
    var world = try LockWorld()
    let plan = try await world.plan()
    world.manifestDigest = Digest(.sha256, bytes: Array(repeating: 2, count: 32))
    let refusal = await #expect(throws: RunRefusal.self) { try await world.apply { $0.plan = plan } }
    #expect(refusal?.status == .safetyStop && refusal?.failure.reason == .factsMoved)
    #expect(!world.folder.exists("out"))
  }
}
