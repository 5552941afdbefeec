// One bad object among many: the others advance in every run, and the report says since when it fails.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct FailingSinceTests {
  @Test func `mirror apply: P55 one bad object of a hundred holds up nobody, and is said to fail since the first run`()
    async throws
  {
    let server = try StorageEmulator.serving(faults: "on media b/o/7 => status 404")
    defer { server.stop() }
    let place = try Workplace(server.port, "trees: [{ref: \"gs://b/o/\", to: o/}]")
    var since: String?
    for run in 1...3 {
      for index in 0..<100 { server.put("o/\(index)", Data("run \(run) of \(index)".utf8)) }
      let applied = try await place.apply()
      #expect(applied.status == 3, "\(applied.said)")
      #expect(applied.report.totals.downloaded + applied.report.totals.updated == 99)
      #expect(place.text("o/8") == "run \(run) of 8")
      let bad = try applied.item("o/7")
      let now = try #require(bad.failingSince)
      #expect(now == since ?? now, "it is the first of the runs, not this one")
      since = now
      #expect(try applied.item("o/8").failingSince == nil)
      // The next run begins in another second.
      try await Task.sleep(for: .milliseconds(1_050))
    }
    let status = try await place.mirror("status", "mirror.yaml")
    #expect(status.outputText.contains("o/7"), "\(status.outputText)")
    try server.play("")
    #expect(try await place.apply().status == 0)
    try server.play("on media b/o/7 => status 404")
    server.put("o/7", Data("again".utf8))
    let again = try await place.apply()
    #expect(try again.item("o/7").failingSince != since, "it came through meanwhile")
  }
}
