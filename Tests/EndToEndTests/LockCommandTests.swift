// `mirror lock`, `plan -o`, `verify` and their kin as they are typed, with the built program over a server of this machine.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite struct LockCommandTests {
  private let emulator: StorageEmulator
  private let folder: TemporaryDirectory

  init() throws {
    emulator = try StorageEmulator()
    folder = try TemporaryDirectory()
    emulator.objects.put("b", "one", text: "one\n")
    emulator.objects.put("b", "t/two", text: "two\n")
    try folder.write(
      """
      version: 1
      root: out
      storage: {bucket: b, api: gcs}
      items:
        - {ref: one, to: one}
      trees:
        - {ref: "gs://b/t/", to: tree/}

      """, to: "m.yaml")
  }

  private func mirror(_ words: String...) async throws -> ChildResult {
    try await ChildProcess.run(
      BuiltProducts.mirror, words,
      environment: [
        "PATH": "/usr/bin:/bin", "FIREBASE_STORAGE_EMULATOR_HOST": "127.0.0.1:\(emulator.port)", "no_proxy": "*",
      ], in: folder.path)
  }

  @Test func `P53 comments, order and spelling of the manifest change neither plan nor lock`() async throws {
    #expect(try await mirror("apply", "--update-lock", "m.yaml").status == 0)
    let before = try folder.read("m.yaml.lock")
    try folder.write(
      """
      # The same again.
      trees: [{to: ./tree, ref: "gs://b/t/"}]
      items:
        - to: one
          ref: gs://b/one
      storage: {api: gcs, bucket: b}
      root: ./out/
      version: 1
      """, to: "m.yaml")
    let plan = try await mirror("plan", "--locked", "--detailed-exitcode", "m.yaml")
    #expect(plan.status == 0, "\(plan.outputText)\(plan.errorText)")
    #expect(try await mirror("apply", "--update-lock", "--detailed-exitcode", "m.yaml").status == 0)
    #expect(try folder.read("m.yaml.lock") == before)
  }

  @Test func `a written plan is applied, and a second time refused`() async throws {
    #expect(try await mirror("plan", "-o", "plan.json", "m.yaml").status == 0)
    #expect(try await mirror("apply", "--plan", "plan.json", "m.yaml").status == 0)
    #expect(try folder.readText("out/tree/two") == "two\n")
    let again = try await mirror("apply", "--plan=plan.json", "m.yaml")
    #expect(again.status == 5)
    #expect(again.errorText.contains("[facts_moved]"))
  }

  @Test func `P59 a plan on standard output is one JSON document`() async throws {
    let result = try await mirror("plan", "-o", "-", "m.yaml")
    #expect(result.status == 0)
    let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
    #expect((document?["rows"] as? [Any])?.count == 2)
  }

  @Test func `a conflict in the lock file is shown with its line`() async throws {
    #expect(try await mirror("lock", "m.yaml").status == 0)
    let text = try folder.readText("m.yaml.lock")
    try folder.write(
      text.replacingOccurrences(of: "    {\"to\": \"one\"", with: "<<<<<<< HEAD\n    {\"to\": \"one\""),
      to: "m.yaml.lock")
    let result = try await mirror("apply", "--locked", "m.yaml")
    #expect(result.status == 2)
    #expect(result.errorText.contains("--> m.yaml.lock:4:1"))
    #expect(!folder.exists("out"))
  }

  @Test func `locked without a lock file says how to write one`() async throws {
    let result = try await mirror("apply", "--frozen", "m.yaml")
    #expect(result.status == 2)
    #expect(result.errorText.contains("mirror lock m.yaml"))
  }

  @Test func `verify finds what is wrong, repairs it, and is content`() async throws {
    #expect(try await mirror("apply", "--update-lock", "m.yaml").status == 0)
    try folder.write("eno\n", to: "out/one")
    let found = try await mirror("verify", "m.yaml")
    #expect(found.status == 3)
    #expect(found.outputText.contains("wrong      one: its crc32c is "))
    #expect(try await mirror("verify", "--repair", "-q", "m.yaml").status == 0)
    #expect(try folder.readText("out/one") == "one\n")
    #expect(try await mirror("verify", "m.yaml").outputText == "Verified: 2 proven (8 B).\n")
  }

  @Test func `explain, status and report answer in JSON`() async throws {
    #expect(try await mirror("apply", "--report", "r.json", "m.yaml").status == 0)
    for words in [["explain", "--json", "m.yaml", "tree/two"], ["status", "--json", "m.yaml"]] {
      let result = try await ChildProcess.run(
        BuiltProducts.mirror, words,
        environment: ["FIREBASE_STORAGE_EMULATOR_HOST": "127.0.0.1:\(emulator.port)", "no_proxy": "*"],
        in: folder.path)
      #expect(result.status == 0)
      #expect(try JSONSerialization.jsonObject(with: Data(result.standardOutput)) is [String: Any])
    }
    let report = try await mirror("report", "r.json", "r.json", "--html", "r.html")
    #expect(report.status == 0)
    #expect(report.outputText.contains("downloaded        4"))
    #expect(try folder.readText("r.html").hasPrefix("<!doctype html>"))
  }
}
