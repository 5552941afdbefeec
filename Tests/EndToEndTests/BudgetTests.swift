// Runs with a budget: they end cleanly, say what they left, and the next run goes on.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct BudgetTests {
  private static let size = 10_000

  private func server(_ count: Int, size: Int = size, faults: String = "") throws -> StorageEmulator {
    let server = try StorageEmulator.serving(faults: faults)
    for index in 0..<count { server.put("o/\(index)", TestBytes.make(size, seed: UInt64(index) + 1)) }
    return server
  }

  private func tree(_ server: StorageEmulator) throws -> Workplace {
    try Workplace(server.port, "trees: [{ref: \"gs://b/o/\", to: o/}]")
  }

  private func mediaRequests(_ server: StorageEmulator) -> Int {
    server.log.count { $0.target.contains("alt=media") || $0.target.hasPrefix("/b/") }
  }

  @Test func `mirror apply --max-transfers 7: exactly seven files a run, 9 until nothing is left`() async throws {
    let server = try server(20)
    defer { server.stop() }
    let place = try tree(server)
    for (fetched, status) in [(7, Int32(9)), (7, 9), (6, 0), (0, 0)] {
      server.clearLog()
      let run = try await place.apply("--max-transfers", "7")
      #expect(run.status == status, "\(run.said)")
      #expect(run.report.totals.downloaded == fetched)
      #expect(mediaRequests(server) == fetched, "\(server.requests)")
      #expect(run.report.addsUp)
      let left = run.report.items.filter { $0.outcome == "skipped" }
      #expect(Set(left.map(\.reason)).isSubset(of: ["budget_exhausted"]))
      #expect(run.report.exit.code == status)
      #expect(run.said.contains("left for a later run") == (status == 9))
    }
    #expect(try place.names().count == 20)
  }

  @Test func `mirror apply --max-transfers: a file that cannot be had takes nobody's place`() async throws {
    let server = try server(8, faults: "on media b/o/0 => status 404\non media b/o/1 => status 404")
    defer { server.stop() }
    let place = try Workplace(
      server.port, "items:\n" + (0..<8).map { "  - {ref: o/\($0), to: o/\($0)}\n" }.joined())
    let run = try await place.apply("--max-transfers", "3")
    #expect(run.report.totals.downloaded == 3)
    #expect(run.report.totals.failed == 2)
    #expect(run.report.totals.skipped == 3)
    #expect(run.status == 3)
    #expect(run.report.exit.reasons.contains { $0.code == 9 && $0.count == 3 })
  }

  @Test func `mirror apply --max-transfers: what is unchanged does not count`() async throws {
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for index in 0..<6 { server.put("\(index)", Data("content \(index)".utf8)) }
    let place = try Workplace(
      server.port,
      "items:\n" + (0..<6).map { "  - {ref: \"\(server.link("\($0)"))\", to: \"\($0)\"}\n" }.joined())
    #expect(try await place.apply().status == 0)
    for index in 3..<6 { server.put("\(index)", Data("changed \(index)".utf8)) }
    let run = try await place.apply("--max-transfers", "2")
    #expect(run.status == 9, "\(run.said)")
    #expect(run.report.totals.unchanged == 3)
    #expect(run.report.totals.updated == 2)
    #expect(run.report.totals.skipped == 1)
    let next = try await place.apply("--max-transfers", "2")
    #expect(next.status == 0)
    #expect(next.report.totals.updated == 1)
    #expect(next.report.totals.unchanged == 5)
  }

  @Test func `mirror apply --max-bytes 35000: begins no transfer beyond it, cuts none, 9 until nothing is left`()
    async throws
  {
    let server = try server(10)
    defer { server.stop() }
    let place = try tree(server)
    for (fetched, status) in [(3, Int32(9)), (3, 9), (3, 9), (1, 0)] {
      let run = try await place.apply("--max-bytes", "35000")
      #expect(run.status == status, "\(run.said)")
      #expect(run.report.totals.downloaded == fetched)
      #expect(run.report.totals.bytes == fetched * Self.size)
      #expect(run.report.totals.interrupted == 0)
      #expect(run.report.addsUp)
    }
    #expect(try place.names().count == 10)
  }

  @Test func `mirror apply --max-bytes: plain links whose sizes only their heads tell`() async throws {
    let server = try server(6)
    defer { server.stop() }
    let place = try Workplace(
      server.port, "items:\n" + (0..<6).map { "  - {ref: \"\(server.link("o/\($0)"))\", to: \"\($0)\"}\n" }.joined())
    let run = try await place.apply("--max-bytes", "25kB")
    #expect(run.status == 9, "\(run.said)")
    #expect(run.report.totals.downloaded == 2)
    #expect(run.report.totals.skipped == 4)
    #expect(run.report.totals.bytes == 2 * Self.size)
    #expect(run.report.items.filter { $0.outcome == "skipped" }.allSatisfy { $0.reason == "budget_exhausted" })
  }

  @Test func `mirror apply --max-bytes: a file larger than the whole budget is named`() async throws {
    let server = try server(3)
    defer { server.stop() }
    server.put("o/big", TestBytes.make(50_000))
    let run = try await tree(server).apply("--max-bytes", "40kB")
    #expect(run.status == 9)
    #expect(run.report.totals.downloaded == 3)
    let big = try run.item("o/big")
    #expect(big.outcome == "skipped")
    #expect(big.reason == "budget_exhausted")
    #expect(run.said.contains("o/big") && run.said.contains("Raise --max-bytes"), "\(run.said)")
  }

  @Test func `mirror apply --max-duration 1s: ends with 9 and keeps what can be continued`() async throws {
    let size = 12 << 20
    let server = try server(1, size: size, faults: "on media b/o/0 request 1 => throttle 4MiB/s")
    defer { server.stop() }
    let place = try tree(server)
    let run = try await place.apply("--max-duration", "1s")
    #expect(run.status == 9, "\(run.said)")
    #expect(try run.item("o/0").outcome == "interrupted")
    let next = try await place.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(try next.item("o/0").bytesResumed > 1 << 20)
  }

  @Test func `the budget's options may be given by the environment`() async throws {
    let server = try server(5)
    defer { server.stop() }
    let place = try tree(server)
    let run = try await place.apply(environment: ["MIRROR_MAX_TRANSFERS": "2"])
    #expect(run.status == 9)
    #expect(run.report.totals.downloaded == 2)
    let next = try await place.apply(environment: ["MIRROR_MAX_BYTES": "10000", "MIRROR_MAX_DURATION": "1h"])
    #expect(next.status == 9)
    #expect(next.report.totals.downloaded == 1)
  }

  @Test func `the budget left a failing entry out: since when it fails is not forgotten`() async throws {
    let server = try server(4, faults: "on media b/o/3 => status 404")
    defer { server.stop() }
    let place = try Workplace(
      server.port, "items:\n" + (0..<4).map { "  - {ref: o/\($0), to: o/\($0)}\n" }.joined())
    #expect(try await place.apply().status == 3)
    for index in 0..<3 { server.put("o/\(index)", TestBytes.make(Self.size, seed: 99)) }
    #expect(try await place.apply("--max-transfers", "1").status != 0)
    let status = try await place.mirror("status", "mirror.yaml")
    #expect(status.outputText.contains("o/3"), "\(status.outputText)")
  }
}
