// Items that are pinned by a document beside them.

import LocalFiles
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Pins from checksum documents")
struct ChecksumPinsRunTests {
  /// More than two batches of items.
  private static let count = 1_100

  private static func name(_ number: Int) -> String { "f\(number)" }

  private static func sum(_ text: String) throws -> String {
    try #require(try StreamingDigest.digests(of: text.utf8, [.sha256]).sha256).hex
  }

  private static func world(_ document: String) throws -> (world: TreeWorld, items: [Item]) {
    let world = try TreeWorld()
    for number in 0..<count { world.put(name(number), name(number)) }
    world.put("SHA256SUMS", document)
    let url = try HTTPURL(parsing: "\(world.origin)/download/storage/v1/b/b/o/SHA256SUMS?alt=media")
    let items = try (0..<count).map { number in
      let item = try world.item(name(number), to: "d/" + name(number))
      return Item(references: item.references, destination: item.destination, checksumURL: url)
    }
    return (world, items)
  }

  private static func documents(_ ran: TreeWorld.Ran) -> Int {
    ran.requests.count { $0.target.contains("SHA256SUMS") }
  }

  @Test("P80: one document pins thousands of items, asked for once a run; without a change nothing else is asked")
  func one() async throws {
    let lines = try (0..<Self.count).map { "\(try Self.sum(Self.name($0)))  \(Self.name($0))\n" }.joined()
    let (world, items) = try Self.world(lines)
    let manifest = world.manifest([], items: items)
    let first = try await world.apply(manifest)
    #expect(first.status == .done)
    #expect(first.count(.downloaded) == Self.count)
    #expect(Self.documents(first) == 1)
    #expect(first.outcomes.allSatisfy { $0.digests.sha256 != nil })
    let second = try await world.apply(manifest, later: .seconds(60))
    #expect(second.count(.unchanged) == Self.count)
    #expect(second.requests.count == 1 && Self.documents(second) == 1)
  }

  @Test("P80: what the document does not list, or contradicts, fails by itself")
  func others() async throws {
    let lines = try (0..<Self.count - 1).map { number in
      "\(try Self.sum(number == 700 ? "something else" : Self.name(number)))  \(Self.name(number))\n"
    }.joined()
    let (world, items) = try Self.world(lines)
    let ran = try await world.apply(world.manifest([], items: items))
    #expect(ran.count(.downloaded) == Self.count - 2)
    #expect(ran["d/f700"]?.failure?.reason == .checksumMismatch)
    #expect(ran["d/f\(Self.count - 1)"]?.failure?.reason == .notComparable)
    #expect(try world.files().count == Self.count - 2)
  }

  @Test("a document that cannot be had fails its items, and is asked for once")
  func none() async throws {
    let (world, items) = try Self.world("")
    world.remove("SHA256SUMS")
    let ran = try await world.apply(world.manifest([], items: items))
    #expect(ran.count(.failed) == Self.count)
    #expect(ran.outcomes.allSatisfy { $0.failure?.reason == .notFound })
    #expect(Self.documents(ran) == 1 && ran.media == 1)
  }
}
