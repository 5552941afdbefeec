// `on_change`: a program that a run tells of its changes.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct OnChangeTests {
  private static func place(_ server: StorageEmulator, _ script: String) throws -> Workplace {
    try Workplace(
      server.port, settings: "on_change: [sh, -c, '\(script)']", "trees: [{ref: \"gs://b/\", to: .}]")
  }

  private func server() throws -> StorageEmulator {
    try StorageEmulator.serving(["a.txt": Data("1".utf8), "f/b.txt": Data("2".utf8)])
  }

  @Test func `mirror apply: on_change has the list on its standard input, and what it says is no result of ours`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server, "tr \"\\\\000\" \"\\\\n\" | sort; pwd; echo on stderr >&2")
    let first = try await place.apply()
    #expect(first.status == 0, "\(first.said)")
    #expect(first.result.outputText == "")
    #expect(first.said.contains("a.txt\nf/b.txt\n\(place.folder.path)\n"), "\(first.said)")
    #expect(first.said.contains("on stderr") && first.said.contains("sh was told of 2 changes."))
    let second = try await place.apply()
    #expect(second.status == 0 && !second.said.contains("told"))
  }

  @Test func `mirror apply: --no-on-change leaves the changes for the next run, -n and plan run nothing`() async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server, "touch told; exit 3")
    #expect(try await place.mirror("apply", "-n", "mirror.yaml").status == 0)
    #expect(try await place.mirror("plan", "mirror.yaml").status == 0)
    let silent = try await place.apply("--no-on-change")
    #expect(silent.status == 0)
    #expect(silent.said.contains("on_change was not run: 2 changes wait"), "\(silent.said)")
    #expect(!place.folder.exists("told"))
    let next = try await place.apply()
    #expect(next.status == 6 && place.folder.exists("told"))
    #expect(next.said.contains("`on_change`: sh failed (exit status 3) [command_failed]"), "\(next.said)")
    #expect(next.report.exit.reasons.contains { $0.reason == "command_failed" })
    #expect(next.report.totals.unchanged == 2)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `mirror apply, interrupted while on_change runs: P90 ends the program and says so`(
    signal: Int32, status: Int32
  ) async throws {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server, "touch begun; exec sleep 600")
    let child = try place.start("apply", "--report", "report.json", "mirror.yaml")
    try await eventually("the program runs") { place.folder.exists("begun") }
    child.send(signal: signal)
    #expect(child.wait(for: .seconds(20)) == .exited(status))
    let report = try place.report()
    #expect(report.exit.code == status && report.totals.downloaded == 2)
  }

  @Test func `mirror apply, killed again and again: P64 on_change is told of every file in the end`() async throws {
    let names = (0..<300).map { "f/\($0)" }
    let server = try StorageEmulator.serving(Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) }))
    defer { server.stop() }
    let place = try Self.place(server, "cat >>told")
    for milliseconds in [40, 60, 90, 130, 180] {
      let child = try place.start("apply", "-q", "mirror.yaml")
      try await Task.sleep(for: .milliseconds(milliseconds))
      child.send(signal: SIGKILL)
      _ = child.wait(for: .seconds(20))
    }
    let last = try await place.apply()
    #expect(last.status == 0, "\(last.said)")
    let told = try place.folder.read("told").split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(told) == Set(names))
  }

  @Test(arguments: [
    ("on_change: []", "`on_change` names no program"), ("on_change: systemctl", "on_change"),
    ("on_change: [\"\"]", "`on_change` names no program"), ("on_chnage: [true]", "did you mean `on_change`"),
  ])
  func `mirror check: an on_change that is no program is refused`(line: String, message: String) async throws {
    let place = try Workplace(1, settings: line, "items: []")
    let result = try await place.mirror("check", "mirror.yaml")
    #expect(result.status == 2)
    #expect(result.errorText.contains(message), "\(result.errorText)")
  }
}
