// Part files that runs leave for later ones: kept while something wants them, and no longer.

import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Parts that were left for a later run")
struct PartsRunTests {
  /// A world in which a run has left a part of `m/big`.
  private func interrupted() async throws -> (world: TreeWorld, manifest: Manifest) {
    let world = try TreeWorld(["m/small": "s"])
    world.emulator.objects.put("b", "m/big", patternOf: 3 << 20)
    let manifest = world.manifest([try world.tree()])
    try world.emulator.play("on media b/m/big => cut 2MiB")
    let ran = try await world.apply(manifest)
    #expect(ran["m/big"]?.outcome == .failed)
    #expect(try parts(world).count == 1)
    #expect(try world.state().parts().count == 1)
    try world.emulator.play("")
    return (world, manifest)
  }

  private func parts(_ world: TreeWorld) throws -> [String] {
    try world.root.files(below: "out").keys.filter { $0.contains("/.mirror-") }
  }

  @Test("a part stays while its object could not be looked at")
  func unknown() async throws {
    let (world, manifest) = try await interrupted()
    try world.emulator.play("on list => status 503")
    #expect(try await world.apply(manifest, later: .seconds(10)).status == .failedForNow)
    #expect(try parts(world).count == 1)
    try world.emulator.play("")
    let ran = try await world.apply(manifest, later: .seconds(20))
    #expect(ran["m/big"]?.outcome == .downloaded)
    #expect(ran["m/big"]?.bytesResumed == 2 << 20)
    #expect(try parts(world).isEmpty)
  }

  @Test("a part goes when its object is gone")
  func gone() async throws {
    let (world, manifest) = try await interrupted()
    world.remove("m/big")
    #expect(try await world.apply(manifest, later: .seconds(10)).status == .done)
    #expect(try parts(world).isEmpty)
    #expect(try world.state().parts().isEmpty)
  }

  @Test("a part goes when the manifest no longer has its entry")
  func unwanted() async throws {
    let (world, _) = try await interrupted()
    let other = world.manifest([], items: [try world.item("m/small", to: "elsewhere")])
    #expect(try await world.apply(other, later: .seconds(10)).status == .done)
    #expect(try parts(world).isEmpty)
    #expect(try world.state().parts().isEmpty)
  }

  @Test("a part stays when only some entries were looked at")
  func partial() async throws {
    let (world, _) = try await interrupted()
    let other = world.manifest([], items: [try world.item("m/small", to: "elsewhere")])
    #expect(try await world.apply(other, later: .seconds(10), shard: Shard(1, of: 1)).status == .done)
    #expect(try parts(world).count == 1)
  }
}
