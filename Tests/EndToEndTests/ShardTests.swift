// `mirror apply --shard` in processes side by side, and `mirror finalize`, as a user's scripts call them.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@Suite struct ShardTests {
  private static func server(_ count: Int) throws -> StorageEmulator {
    try StorageEmulator.serving(
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("f/\($0)", Data("object \($0)".utf8)) }))
  }

  private static let tree = "trees: [{ref: \"gs://b/f/\", to: f, prune: {enabled: true}}]"

  @Test func `mirror apply --shard: four processes bring everything, each its own, and finalize deletes and tells`()
    async throws
  {
    let server = try Self.server(120)
    defer { server.stop() }
    let place = try Workplace(
      server.port, settings: "report: {json: reports/run.json}\non_change: [sh, -c, 'tr \"\\\\000\" \"\\\\n\" >>told']",
      Self.tree)
    try place.folder.write("", to: "reports/.keep")
    let shards = try (1...4).map { try place.start("apply", "--shard", "\($0)/4", "-q", "mirror.yaml") }
    for shard in shards { #expect(shard.wait(for: .seconds(60)) == .exited(0)) }
    #expect(try place.names().count == 120)
    let reports = try (1...4).map { try RunReport(place.folder.read("reports/run.\($0)-of-4.json")) }
    #expect(reports.map { $0.totals.downloaded }.reduce(0, +) == 120)
    #expect(reports.allSatisfy { $0.totals.downloaded > 10 })
    #expect(!place.folder.exists("told"))
    let shown = try JSONValue(parsing: place.folder.read("reports/run.2-of-4.json"))
    #expect(shown["run"]?["shard"]?.string == "2/4")

    server.objects.remove("b", "f/7")
    let final = try await place.mirror("finalize", "mirror.yaml")
    #expect(final.status == 0, "\(final.errorText)")
    let report = try RunReport(place.folder.read("reports/run.json"))
    #expect(report.totals.unchanged == 119 && report.totals.downloaded == 0)
    #expect(report.items.filter { $0.outcome == "deleted" }.map(\.to) == ["f/7"])
    let told = String(decoding: try place.folder.read("told"), as: UTF8.self).split(separator: "\n")
    #expect(told.count == 121 && Set(told).count == 120)
    let again = try await place.mirror("apply", "mirror.yaml")
    #expect(again.status == 0 && again.errorText.contains("119 unchanged"), "\(again.errorText)")
  }

  @Test func `mirror apply --shard auto: the engine's variables are asked, and never unasked`() async throws {
    let server = try Self.server(20)
    defer { server.stop() }
    let place = try Workplace(server.port, Self.tree)
    let index = ["JOB_COMPLETION_INDEX": "1"]
    let all = try await place.apply(environment: index)
    #expect(all.status == 0 && all.report.totals.downloaded == 20)
    let one = try await place.apply("--shard", "auto/2", environment: index)
    #expect(one.status == 0 && one.report.totals.items < 20 && one.report.totals.items > 0)
    let variable = try await place.apply(environment: ["MIRROR_SHARD": "2/2"])
    #expect(variable.report.totals.items == one.report.totals.items)
    let unknown = try await place.mirror("apply", "--shard", "auto", "mirror.yaml")
    #expect(unknown.status == 2)
    #expect(unknown.errorText.contains("--shard auto: no variable says which shard this is"), "\(unknown.errorText)")
    let wrong = try await place.mirror("apply", "--shard", "0/2", "mirror.yaml")
    #expect(wrong.status == 2 && wrong.errorText.contains("is no shard"), "\(wrong.errorText)")
  }

  @Test func `mirror apply --shard does not write the lock file; P65 a run of the whole waits for shards`() async throws
  {
    let server = try Self.server(4)
    defer { server.stop() }
    let place = try Workplace(server.port, Self.tree)
    let lock = try await place.mirror("apply", "--shard", "1/2", "--update-lock", "mirror.yaml")
    #expect(lock.status == 2 && lock.errorText.contains("a shard cannot write the lock file"), "\(lock.errorText)")
    try server.play("on media => delay 2s")
    let shard = try place.start("apply", "--shard", "1/2", "-q", "mirror.yaml")
    try await eventually("the shard is at work") { place.folder.exists("out/.mirror/shard-1-of-2.db") }
    let whole = try await place.mirror("finalize", "mirror.yaml")
    #expect(whole.status == 8 && whole.errorText.contains("another run holds"), "\(whole.errorText)")
    let patient = try await place.mirror("finalize", "--wait", "60s", "mirror.yaml")
    #expect(patient.status == 9, "\(patient.errorText)")
    #expect(shard.wait(for: .seconds(30)) == .exited(0))
  }

  @Test func `mirror apply --shard, killed again and again: P64 nothing is lost, and nothing unfinished stays`()
    async throws
  {
    let server = try Self.server(300)
    defer { server.stop() }
    let place = try Workplace(server.port, Self.tree)
    for round in 0..<6 {
      let shards = try (1...2).map { try place.start("apply", "--shard", "\($0)/2", "-q", "mirror.yaml") }
      usleep(useconds_t(20_000 + round * 25_000))
      for shard in shards { shard.send(signal: SIGKILL) }
      for shard in shards { _ = shard.wait(for: .seconds(20)) }
    }
    for number in 1...2 {
      #expect(try await place.mirror("apply", "--shard", "\(number)/2", "-q", "mirror.yaml").status == 0)
    }
    #expect(try await place.mirror("finalize", "mirror.yaml").status == 0)
    #expect(try place.names().count == 300)
    #expect(place.partSizes().isEmpty)
    for number in 0..<300 where place.text("f/\(number)") != "object \(number)" {
      Issue.record("f/\(number) is \(place.text("f/\(number)") ?? "missing")")
    }
  }

  @Test func `mirror plan --shards: what each would have to do, in place of the plan`() async throws {
    let server = try Self.server(50)
    defer { server.stop() }
    let place = try Workplace(server.port, Self.tree)
    let plan = try await place.mirror("plan", "--shards", "4", "mirror.yaml")
    #expect(plan.status == 0)
    let lines = plan.outputText.split(separator: "\n")
    #expect(lines.count == 5 && lines.last == "all: 50 entries, 50 to fetch, 440 B", "\(plan.outputText)")
    for (place, line) in lines.prefix(4).enumerated() { #expect(line.hasPrefix("\(place + 1)/4: ")) }
    let document = try await place.mirror("plan", "--shards", "4", "--json", "mirror.yaml").standardOutput
    let json = try JSONValue(parsing: document)
    #expect(json["shards"]?.array?.count == 4 && json["all"]?["to_fetch"] == .number(JSONNumber(50)))
    let part = try await place.mirror("plan", "--shard", "2/4", "mirror.yaml")
    let own = part.outputText.split(separator: "\n").count { $0.hasPrefix("+") }
    #expect(lines[1].contains(" \(own) to fetch"), "\(lines[1]): \(own)")
    #expect(!place.folder.exists("out"))
  }
}
