// Big objects by several ranges: faster where each connection is slow, bound to one version, continued hole by hole.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct RangeTests {
  private static let content = TestBytes.make(12 << 20)
  private static let other = TestBytes.make(12 << 20, seed: 2)
  private static let ranges = "ranges: {cutoff: 4MiB, streams: 4}"
  /// What one connection brings: the whole takes 3 s.
  private static let pace = "throttle 4MiB/s"

  private func serving(_ faults: String) throws -> StorageEmulator {
    try StorageEmulator.serving(["big.bin": Self.content], faults: faults, threads: 8)
  }

  private func place(
    _ server: StorageEmulator, _ kind: String = "gcs", item: String = "", defaults: String = ranges
  ) throws -> Workplace {
    let reference = kind == "web" ? server.link("big.bin") : "big.bin"
    return try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", defaults: defaults, on: .memory,
      "items: [{ref: \"\(reference)\", to: big.bin\(item)}]")
  }

  @Test(arguments: ["gcs", "firebase", "web"])
  func `mirror apply: a big object comes by several streams, bound to one version`(kind: String) async throws {
    let server = try serving("on media b/big.bin => \(Self.pace)\non xml b/big.bin => \(Self.pace)")
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    let item = try run.item("big.bin")
    #expect((item.streams ?? 1) >= 2 && item.attempts.count == 1, "\(server.ranges)")
    #expect(item.bytes < Self.content.count + 4 << 20)
    #expect(item.bytes - item.bytesWasted == Self.content.count)
    #expect(server.ranges.filter { $0 == "-" }.count <= 2)
    let checked = try await place.mirror("verify", "mirror.yaml")
    #expect(checked.status == 0, "\(checked.errorText)")
  }

  @Test func `mirror apply --streams 1: one stream, as with streams in the manifest`() async throws {
    let server = try serving("on media b/big.bin => throttle 12MiB/s")
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply("--streams", "1")
    #expect(run.status == 0, "\(run.said)")
    try place.write(
      server.port, defaults: "ranges: {cutoff: 4MiB, streams: 1}", "items: [{ref: big.bin, to: again.bin}]")
    let second = try await place.apply()
    #expect(second.status == 0, "\(second.said)")
    #expect(server.ranges.allSatisfy { $0 == "-" })
  }

  @Test(arguments: [
    "range ignore", "range shift 17", "range no-content-range", "range 416", "range short 100000",
    "reset 300000", "cut 300000", "status 503", "status 403", "empty-reply", "stall 200000 for 3s",
    "content-length wrong -5", "content-length wrong +5", "chunked", "close-delimited",
  ])
  func `mirror apply: P10 P11 P12 P13 a ranged answer that goes wrong never makes a wrong file`(
    fault: String
  ) async throws {
    let server = try serving(
      """
      on media b/big.bin with Range request 1 => \(Self.pace); \(fault)
      on media b/big.bin => \(Self.pace)
      """)
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply(timeout: .seconds(60))
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content, "\(server.ranges)")
    #expect(try run.item("big.bin").bytes < 2 * Self.content.count + 1 << 20)
    #expect(server.ranges.contains { $0 != "-" })
  }

  @Test func `mirror apply: P16 an object that is replaced during its ranges is fetched anew, never mixed`()
    async throws
  {
    let server = try serving("on media b/big.bin => \(Self.pace)")
    defer { server.stop() }
    let place = try place(server, "web")
    let child = try place.start("apply", "-q", "--report", "report.json", "mirror.yaml")
    try await eventually("a range is asked for") { server.ranges.contains { $0 != "-" } }
    server.put("big.bin", Self.other)
    #expect(child.wait(for: .seconds(60)) == .exited(0))
    let content = place.content("big.bin")
    #expect(content == Self.content || content == Self.other)
    let item = try #require(try place.report().items.first)
    #expect(item.outcome == "downloaded")
  }

  @Test func `mirror apply: P21 a range that is corrupted once costs one clean fetch`() async throws {
    let server = try serving(
      """
      on media b/big.bin with Range request 1 => \(Self.pace); swap at byte 7000000 with x
      on media b/big.bin => \(Self.pace)
      """)
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges.filter { $0 == "-" }.count <= 2, "\(server.ranges)")
  }

  @Test func `mirror apply, killed at any byte: the next run asks for the holes alone`() async throws {
    let size = 64 << 20
    let content = TestBytes.make(size, seed: 5)
    let server = try StorageEmulator.serving(
      ["big.bin": content], faults: "on media b/big.bin => throttle 2MiB/s", threads: 8)
    defer { server.stop() }
    let place = try place(server)
    var random = SplitMix64(seed: 7)
    for _ in 0..<3 {
      server.clearLog()
      let child = try place.start("apply", "-q", "mirror.yaml")
      try await eventually("something is asked for") { !server.log.isEmpty }
      _ = child.wait(for: .milliseconds(Int64(1_500 + random.next() % 1_500)))
      child.send(signal: SIGKILL)
      _ = child.wait(for: .seconds(30))
      #expect(place.content("big.bin") == nil)
    }
    server.clearLog()
    try server.play("")
    let last = try await place.apply()
    #expect(last.status == 0, "\(last.said)")
    #expect(place.content("big.bin") == content)
    let item = try last.item("big.bin")
    #expect(item.bytesResumed > 4 << 20, "\(server.ranges)")
    #expect(item.bytes <= size - item.bytesResumed + 4 << 20, "\(server.ranges)")
    #expect(server.ranges.allSatisfy { $0 != "-" })
  }

  @Test func `mirror apply, stopped and run again: nothing that is there is asked for`() async throws {
    let server = try serving("on media b/big.bin => \(Self.pace)")
    defer { server.stop() }
    let place = try place(server)
    let child = try place.start("apply", "-q", "--report", "report.json", "mirror.yaml")
    try await eventually("a range is asked for") { server.ranges.contains { $0 != "-" } }
    child.send(signal: SIGTERM)
    #expect(child.wait(for: .seconds(30)) == .exited(143))
    server.clearLog()
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    let item = try run.item("big.bin")
    #expect(item.bytesResumed > 0)
    #expect(item.bytes - item.bytesWasted + item.bytesResumed == Self.content.count, "\(server.ranges)")
  }
}
