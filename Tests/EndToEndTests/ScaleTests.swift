// Ten thousand objects: every byte is right, the report adds up, and doing it again costs next to nothing.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct ScaleTests {
  private static let size = 4_096

  private static func name(_ index: Int) -> String { "objects/\(index / 1_000)/\(index).bin" }
  private static func bytes(_ index: Int) -> Data { TestBytes.make(size, seed: UInt64(index) + 1) }

  private static func items(_ count: Int, prefix: String, flat: Bool = false) -> String {
    var text = "items:\n"
    for index in 0..<count {
      let reference = flat ? "flat/\(index).bin" : name(index)
      text += "  - {ref: \"\(prefix)\(reference)\", to: \(reference)}\n"
    }
    return text
  }

  /// The destinations whose bytes are not right.
  private func wrong(_ place: Workplace, _ count: Int, name: (Int) -> String) -> [String] {
    (0..<count).filter { place.content(name($0)) != Self.bytes($0) }.map(name)
  }

  /// What must hold after the first run.
  private func expectComplete(
    _ run: AppliedRun, _ place: Workplace, _ count: Int, name: (Int) -> String = Self.name,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(run.status == 0, "\(run.said)", sourceLocation: location)
    #expect(wrong(place, count, name: name) == [], sourceLocation: location)
    #expect(try place.names().count == count, sourceLocation: location)
    #expect(run.report.addsUp, sourceLocation: location)
    #expect(run.report.totals.downloaded == count, sourceLocation: location)
    #expect(run.report.totals.bytes == count * Self.size, sourceLocation: location)
    #expect(Set(run.report.items.map(\.to)).count == count, sourceLocation: location)
  }

  /// What must hold after the second.
  private func expectNothingToDo(
    _ run: AppliedRun, _ count: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(run.status == 0, "\(run.said)", sourceLocation: location)
    #expect(run.report.addsUp, sourceLocation: location)
    #expect(run.report.totals.unchanged == count, sourceLocation: location)
    #expect(run.report.totals.bytes == 0, sourceLocation: location)
  }

  @Test func `mirror apply: 10,000 items from nginx, then one conditional request for each`() async throws {
    let count = 10_000
    let site = try TemporaryDirectory(on: .memory)
    for index in 0..<count { try site.write(Self.bytes(index), to: Self.name(index)) }
    let server = try NginxServer(serving: site.path)
    defer { server.stop() }
    let place = try Workplace(9, on: .memory, Self.items(count, prefix: server.base + "/"))
    try expectComplete(try await place.apply(), place, count)
    #expect(try server.requests().count == count)
    let before = try place.tree()
    expectNothingToDo(try await place.apply(), count)
    let second = try server.requests().dropFirst(count)
    #expect(second.count == count)
    #expect(second.allSatisfy { $0.split(separator: " ").dropFirst(2).first == "304" })
    #expect(try place.tree() == before)
  }

  @Test func `mirror apply: 10,000 items of one prefix by Google's API, then ten pages of one list`() async throws {
    let count = 10_000
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for index in 0..<count { server.put("flat/\(index).bin", Self.bytes(index)) }
    let place = try Workplace(server.port, on: .memory, Self.items(count, prefix: "", flat: true))
    try expectComplete(try await place.apply(), place, count) { "flat/\($0).bin" }
    server.clearLog()
    expectNothingToDo(try await place.apply(), count)
    #expect(server.requests.count == 10)
    #expect(server.requests.allSatisfy { $0.hasPrefix("GET /storage/v1/b/b/o?") })
  }

  @Test func `mirror apply: 10,000 objects of a tree by Google's API, then ten pages of one list`() async throws {
    let count = 10_000
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for index in 0..<count { server.put(Self.name(index), Self.bytes(index)) }
    let place = try Workplace(server.port, on: .memory, "trees: [{ref: \"gs://b/objects/\", to: objects/}]")
    try expectComplete(try await place.apply(), place, count)
    #expect(server.requests.count { $0.contains("/o?") } == 10)
    server.clearLog()
    expectNothingToDo(try await place.apply(), count)
    #expect(server.requests.count == 10)
    #expect(server.requests.allSatisfy { $0.hasPrefix("GET /storage/v1/b/b/o?") })
  }

  @Test func `mirror apply: 2,000 items by Firebase's API, then metadata and no bytes`() async throws {
    let count = 2_000
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for index in 0..<count { server.put(Self.name(index), Self.bytes(index)) }
    let place = try Workplace(server.port, api: "firebase", on: .memory, Self.items(count, prefix: ""))
    try expectComplete(try await place.apply(), place, count)
    server.clearLog()
    expectNothingToDo(try await place.apply(), count)
    #expect(server.requests.count == count)
    #expect(!server.requests.contains { $0.contains("alt=media") })
  }

  @Test(.enabled(if: FakeGCSServer.isAvailable, Comment(rawValue: FakeGCSServer.howToGet)))
  func `mirror apply: 2,000 items and a tree of them from fake-gcs-server, then no bytes`() async throws {
    let count = 2_000
    let server = try FakeGCSServer()
    defer { server.stop() }
    try server.makeBucket("bucket")
    for index in 0..<count { try server.upload([UInt8](Self.bytes(index)), to: "flat/\(index).bin", in: "bucket") }
    let items = try Workplace(
      server.port, on: .memory, Self.items(count, prefix: "gs://bucket/", flat: true))
    try expectComplete(try await items.apply(), items, count) { "flat/\($0).bin" }
    expectNothingToDo(try await items.apply(), count)
    let tree = try Workplace(server.port, on: .memory, "trees: [{ref: \"gs://bucket/flat/\", to: flat/}]")
    try expectComplete(try await tree.apply(), tree, count) { "flat/\($0).bin" }
    expectNothingToDo(try await tree.apply(), count)
  }
}
