// Objects that become folders of objects, and the other way round; names that differ in case alone.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct KindChangeTests {
  private static let prune = "prune: {enabled: true, max: 100%}"

  private func place(_ server: StorageEmulator, settings: String = "", prune: String = prune) throws -> Workplace {
    try Workplace(server.port, settings: settings, "trees: [{ref: \"gs://b/t/\", to: t/, \(prune)}]")
  }

  private func server(_ names: [String]) throws -> StorageEmulator {
    try StorageEmulator.serving(Dictionary(uniqueKeysWithValues: names.map { ("t/\($0)", Data($0.utf8)) }))
  }

  private func change(_ server: StorageEmulator, from old: [String], to new: [String]) {
    for name in old { server.objects.remove("b", "t/\(name)") }
    for name in new { server.put("t/\(name)", Data(name.utf8)) }
  }

  static let changes: [(old: [String], new: [String])] = [
    (["a"], ["a/b"]), (["a/b"], ["a"]), (["a"], ["a/b/c/d", "a/e"]), (["a/b/c/d", "a/e", "a/b/f"], ["a"]),
    (["a", "x/y/z"], ["a/b", "x/y"]), (["a/b"], ["a/b/c"]),
  ]

  @Test(
    "mirror apply: P67 a file that became a folder, or the other way round, is put right by one run, as planned",
    arguments: changes, ["", "publish: atomic"])
  func converges(change names: (old: [String], new: [String]), settings: String) async throws {
    let server = try server(names.old + ["other", "z"])
    defer { server.stop() }
    let place = try place(server, settings: settings)
    #expect(try await place.apply().status == 0)
    change(server, from: names.old, to: names.new)
    let plan = try await place.mirror("plan", "mirror.yaml")
    #expect(plan.status == 0, "\(plan.outputText)")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.downloaded == names.new.count)
    for name in names.new {
      #expect(place.text("t/\(name)") == name)
      #expect(plan.outputText.contains("t/\(name)"), "\(plan.outputText)")
    }
    let again = try await place.apply()
    #expect(again.status == 0, "\(again.said)")
    #expect(again.report.totals.unchanged == names.new.count + 2)
  }

  @Test func `mirror apply: P67 what is not mirror's own stays in the way, whatever the bucket became`() async throws {
    let server = try server(["a", "b/x", "other"])
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.apply().status == 0)
    try place.folder.write("edited", to: "out/t/a")
    try place.folder.write("mine", to: "out/t/b/mine")
    change(server, from: ["a", "b/x"], to: ["a/b", "b"])
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["t/a/b": "not_a_directory", "t/b": "is_a_directory"])
    #expect(place.text("t/a") == "edited")
    #expect(place.text("t/b/mine") == "mine")
  }

  @Test func `mirror apply: P67 without prune nothing gives way`() async throws {
    let server = try server(["a", "b/x"])
    defer { server.stop() }
    let place = try place(server, prune: "include: [\"**\"]")
    #expect(try await place.apply().status == 0)
    change(server, from: ["a", "b/x"], to: ["a/b", "b"])
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["t/a/b": "not_a_directory", "t/b": "is_a_directory"])
    #expect(place.text("t/a") == "a")
    #expect(place.text("t/b/x") == "b/x")
  }

  @Test(
    .enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.howToGet)), arguments: ["trees", "items"])
  func `mirror apply: names that are one on the root's file system are told, each by itself`(kind: String) async throws
  {
    let library = try FaultLibrary("fold.c")
    let names = ["A", "B/x", "a", "b/y", "c"]
    let server = try server(names)
    defer { server.stop() }
    let items = names.map { "  - {ref: t/\($0), to: t/\($0)}\n" }.joined()
    let entries = kind == "trees" ? "trees: [{ref: \"gs://b/t/\", to: t/}]" : "items:\n\(items)"
    let place = try Workplace(server.port, entries)
    let run = try await place.apply(environment: library.environment)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures.values.allSatisfy { $0 == "case_collision" } && !run.failures.isEmpty, "\(run.failures)")
    #expect(run.report.items.contains { $0.to.hasSuffix("a") && $0.reason == "case_collision" })
    #expect(place.text("t/A") == "A")
    #expect(place.text("t/c") == "c")
    #expect(place.text("t/a") == nil)
    let plain = try await Workplace(server.port, entries).apply()
    #expect(plain.status == 0, "the same objects where names that differ in case are two: \(plain.said)")
  }
}
