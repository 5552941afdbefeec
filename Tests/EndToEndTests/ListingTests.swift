// Lists that are broken, empty or refused.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct ListingTests {
  private func server(_ faults: String, count: Int = 2_500) throws -> StorageEmulator {
    let server = try StorageEmulator.serving()
    for index in 0..<count { server.put("o/\(100_000 + index)", Data("\(index)".utf8)) }
    try server.play(faults)
    return server
  }

  private func place(_ server: StorageEmulator, _ api: String = "gcs", more: String = "") throws -> Workplace {
    try Workplace(
      server.port, api: api, defaults: "retry: {for: 300ms, initial: 5ms, max: 20ms}",
      "trees: [{ref: \"gs://b/o/\", to: o/\(more)}]")
  }

  @Test(arguments: ["gcs", "firebase"])
  func `mirror plan: P61 a list that never ends is ended, with an error`(api: String) async throws {
    let server = try server("on list => list repeat-token")
    defer { server.stop() }
    let run = try await place(server, api).mirror("plan", "mirror.yaml")
    #expect(run.status == 3, "\(run.errorText)")
    #expect(run.outputText.contains("could not be listed"), "\(run.outputText.suffix(500))")
    #expect(server.requests.count { !$0.contains("/o/") } < 10)
  }

  @Test(arguments: ["gcs", "firebase"])
  func `mirror plan: P62 an empty page in the middle ends nothing`(api: String) async throws {
    let server = try server("on list => list empty-page 2")
    defer { server.stop() }
    let run = try await place(server, api).mirror("plan", "mirror.yaml")
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.outputText.split(separator: "\n").count == 2_501)
  }

  @Test(arguments: ["items: []", "items: []\ntrees: []", "trees: []"])
  func `mirror apply: P63 an empty selection means nothing`(entries: String) async throws {
    let server = try server("", count: 5)
    defer { server.stop() }
    let place = try Workplace(server.port, entries)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.said.contains("0 items"), "\(run.said)")
    #expect(run.report.totals.items == 0)
    #expect(server.requests == [])
  }

  @Test(
    arguments: [
      ("on list => status 403", 3), ("on list => status 404", 3), ("on list => status 401", 7),
      ("on list => status 503", 4), ("on list => list error 500 on page 2", 4),
    ] as [(String, Int32)])
  func `mirror apply: P84 a list that fails is in the report and in the exit status`(
    fault: String, status: Int32
  ) async throws {
    let server = try server(fault, count: 1_200)
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply()
    #expect(run.status == status, "\(run.said)")
    #expect(run.report.errors.count == 1)
    #expect(run.report.exit.code == status)
    #expect(run.said.contains("gs://b/o/ could not be listed"), "\(run.said)")
    let plan = try await place.mirror("plan", "mirror.yaml")
    #expect(plan.status == status, "\(plan.outputText.suffix(500))")
  }

  @Test func `mirror apply: P84 a bucket that does not exist fails`() async throws {
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    let place = try Workplace(server.port, "trees: [{ref: \"gs://no-such-bucket/x/\", to: x/}]")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.report.errors.map(\.name) == ["not_found"])
  }

  @Test func `mirror apply: P86 what is excluded or not in the plan changes no exit status`() async throws {
    let server = try server("on media b/o/100001 => status 403", count: 3)
    defer { server.stop() }
    let place = try place(server, more: ", exclude: [\"100001\"]")
    try place.folder.makeFolder("out/o")
    #expect(mkfifo(place.path("o/pipe"), 0o600) == 0)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.downloaded == 2)
    #expect(try place.names() == ["o/100000", "o/100002"])
  }
}
