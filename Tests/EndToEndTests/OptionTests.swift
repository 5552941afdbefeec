// What the options of the command line do, one by one.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct OptionTests {
  private func server(_ count: Int = 5, faults: String = "") throws -> StorageEmulator {
    let server = try StorageEmulator.serving(faults: faults)
    for index in 0..<count { server.put("o/\(index)", Data("content \(index)".utf8)) }
    return server
  }

  private func place(_ server: StorageEmulator) throws -> Workplace {
    try Workplace(server.port, "trees: [{ref: \"gs://b/o/\", to: o/}]")
  }

  // MARK: What is said

  @Test func `mirror apply -q: says nothing but errors`() async throws {
    let server = try server(faults: "on media b/o/0 request 1 => status 403")
    defer { server.stop() }
    let place = try place(server)
    let first = try await place.mirror("apply", "-q", "mirror.yaml")
    #expect(first.status == 3)
    #expect(first.errorText.hasPrefix("error: failed o/0: "))
    #expect(first.errorText.split(separator: "\n").count { !$0.hasPrefix("hint: ") } == 1)
    let second = try await place.mirror("apply", "-q", "mirror.yaml")
    #expect(second.status == 0)
    #expect(second.errorText + second.outputText == "")
  }

  @Test func `mirror apply -v: says what happened to every item`() async throws {
    let server = try server()
    defer { server.stop() }
    let run = try await place(server).mirror("apply", "-v", "mirror.yaml")
    #expect(run.status == 0)
    for index in 0..<5 { #expect(run.errorText.contains("downloaded o/\(index)\n")) }
    #expect(run.outputText == "")
  }

  @Test func `mirror apply --log-format json -v: every line of standard error is an event`() async throws {
    let server = try server(faults: "on media b/o/0 => status 404")
    defer { server.stop() }
    let run = try await place(server).mirror("apply", "-v", "--log-format", "json", "mirror.yaml")
    #expect(run.status == 3)
    let events = try run.errorText.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(events.allSatisfy { $0["time"] is String && $0["level"] is String && $0["event"] is String })
    #expect(events.count { $0["event"] as? String == "item" } == 5)
    #expect(events.first { $0["destination"] as? String == "o/0" }?["reason"] as? String == "not_found")
  }

  @Test func `mirror apply --report - : standard output is the report and nothing else`() async throws {
    let server = try server()
    defer { server.stop() }
    let run = try await place(server).mirror("apply", "--report", "-", "mirror.yaml")
    #expect(run.status == 0)
    let report = try RunReport(run.standardOutput)
    #expect(report.schema == "mirror.report/1")
    #expect(report.totals.downloaded == 5)
    #expect(report.addsUp)
  }

  // MARK: Saying what would be done

  @Test func `mirror apply -n: says what apply would do, and changes nothing`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    try place.folder.write("old", to: "out/o/1")
    let before = try place.folder.tree()
    let dry = try await place.mirror("apply", "-n", "mirror.yaml")
    let plan = try await place.mirror("plan", "mirror.yaml")
    #expect(dry.status == 0)
    #expect(dry.outputText == plan.outputText)
    #expect(try place.folder.tree() == before)
    #expect(!server.requests.contains { $0.contains("alt=media") })
  }

  @Test func `mirror plan: P58 names what apply then does, and nothing else`() async throws {
    let server = try server(40)
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.apply().status == 0)
    server.put("o/7", Data("changed".utf8))
    server.put("o/new", Data("new".utf8))
    unlink(place.path("o/9"))
    let plan = try await place.mirror("plan", "--json", "mirror.yaml")
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(plan.standardOutput)) as? [String: Any])
    let rows = try #require(document["rows"] as? [[String: Any]])
    let planned = rows.filter { $0["action"] as? String != "skip" }.compactMap { $0["to"] as? String }
    #expect(Set(planned) == ["o/7", "o/9", "o/new"])
    #expect(rows.count == 41)
    let text = try await place.mirror("plan", "mirror.yaml").outputText.split(separator: "\n")
    #expect(text.count == 4)
    #expect(text.last == "Plan: 2 to download (12 B), 1 to update (7 B), 0 to delete, 38 unchanged.")
    let run = try await place.apply()
    #expect(Set(run.report.items.filter { $0.outcome != "unchanged" }.map(\.to)) == Set(planned))
    #expect(try await place.mirror("plan", "mirror.yaml").outputText.hasPrefix("Plan: 0 to download"))
  }

  @Test(arguments: ["gcs", "firebase", "web"])
  func `mirror plan: P57 asks for what it says, and shows what does not exist`(kind: String) async throws {
    let server = try server()
    defer { server.stop() }
    let reference = kind == "web" ? server.link("gone") : "gone"
    let place = try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", "items: [{ref: \"\(reference)\", to: gone}]")
    let plan = try await place.mirror("plan", "mirror.yaml")
    #expect(plan.status == 3)
    #expect(plan.outputText.hasPrefix("!"))
    #expect(plan.outputText.contains("[not_found]"))
    #expect(!place.folder.exists("out"))
  }

  @Test func `mirror plan --offline: P57 asks nobody, and says what it did not look up`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    _ = try await place.apply()
    let asked = server.requests.count
    let after = try await place.mirror("plan", "--offline", "mirror.yaml")
    #expect(after.status == 0, "\(after.errorText)")
    #expect(server.requests.count == asked)
    #expect(after.outputText.contains("?"))
    #expect(after.outputText.contains("not looked up: no server was asked anything."))
    let json = try await place.mirror("plan", "--offline", "--json", "mirror.yaml")
    #expect(json.outputText.contains("\"not_looked_up\""))
    let written = try await place.mirror("plan", "--offline", "-o", "plan.json", "mirror.yaml")
    #expect(written.status == 2)
    #expect(!place.folder.exists("plan.json"))
    #expect(server.requests.count == asked)
  }

  @Test func `mirror apply --detailed-exitcode: 10 where something changed`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.mirror("plan", "--detailed-exitcode", "mirror.yaml").status == 10)
    #expect(try await place.mirror("apply", "--detailed-exitcode", "mirror.yaml").status == 10)
    #expect(try await place.mirror("plan", "--detailed-exitcode", "mirror.yaml").status == 0)
    #expect(try await place.mirror("apply", "--detailed-exitcode", "mirror.yaml").status == 0)
  }

  @Test func `mirror plan --json: P74 sizes beyond 32 and 53 bits stay exact`() async throws {
    let sizes: [(String, Int64)] = [("small", 5_368_709_121), ("large", 9_007_199_254_740_993)]
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for (name, size) in sizes { server.objects.put("b", name, patternOf: size) }
    let place = try Workplace(server.port, defaults: "max_size: 1GiB", "items: [{ref: small, to: small}]")
    let refused = try await place.apply()
    #expect(refused.failures == ["small": "size_limit_exceeded"])
    #expect(try refused.item("small").error?.code == "downloadSizeExceeded")
    #expect(refused.said.contains("5368709121"), "\(refused.said)")
    try place.write(server.port, "items: [{ref: small, to: small}, {ref: large, to: large}]")
    let plan = try await place.mirror("plan", "--json", "mirror.yaml").outputText
    #expect(plan.contains("\"size\": 5368709121,"))
    #expect(plan.contains("\"size\": 9007199254740993,"))
    #expect(plan.contains("\"download_bytes\": 9007204623450114,"))
  }

  // MARK: Limits of a run

  @Test func `mirror apply --max-duration 3s: ends with 9, keeps what it has, and goes on next time`() async throws {
    let content = TestBytes.make(3_000_000)
    let server = try server(faults: "on media b/o/big request 1 => stall 2000000")
    defer { server.stop() }
    server.put("o/big", content)
    let place = try place(server)
    let first = try await place.apply("--max-duration", "3s")
    #expect(first.status == 9, "\(first.said)")
    #expect(first.report.totals.downloaded == 5)
    #expect(first.report.addsUp)
    let second = try await place.apply()
    #expect(second.status == 0, "\(second.said)")
    #expect(second.report.totals.bytesResumed == 2_000_000)
    #expect(place.content("o/big") == content)
  }

  @Test func `mirror apply --root: writes there, relative to the working folder`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.mirror("apply", "--root", "else/where", "mirror.yaml").status == 0)
    #expect(try place.folder.readText("else/where/o/3") == "content 3")
    #expect(!place.folder.exists("out"))
    #expect(try await place.mirror(["apply", "mirror.yaml"], environment: ["MIRROR_ROOT": "by-variable"]).status == 0)
    #expect(try place.folder.readText("by-variable/o/3") == "content 3")
  }

  // MARK: Other commands

  @Test func `mirror get: to a file, to a folder, to standard output`() async throws {
    let content = TestBytes.make(100_000)
    let server = try StorageEmulator.serving(["dir/x.bin": content])
    defer { server.stop() }
    let place = try Workplace()
    let emulator = ["--emulator", "127.0.0.1:\(server.port)"]
    let file = try await place.mirror(["get", "gs://b/dir/x.bin", "copy"] + emulator)
    #expect(file.status == 0, "\(file.errorText)")
    #expect(try place.folder.read("copy") == [UInt8](content))
    #expect(try await place.mirror(["get", "gs://b/dir/x.bin", "made/"] + emulator).status == 0)
    #expect(try await place.mirror(["get", "dir/x.bin", "--bucket", "b", "--api", "gcs"] + emulator).status == 0)
    #expect(try place.folder.read("made/x.bin") == [UInt8](content))
    #expect(try place.folder.read("x.bin") == [UInt8](content))
    let stream = try await place.mirror("get", server.link("dir/x.bin"), "-")
    #expect(stream.status == 0, "\(stream.errorText)")
    #expect(Data(stream.standardOutput) == content)
    #expect(try place.folder.tree().map(\.path) == ["copy", "made", "made/x.bin", "x.bin"])
  }

  @Test func `mirror get --sha256 --max-size: refuses what is not meant`() async throws {
    let server = try StorageEmulator.serving(["x": Data("hello".utf8)])
    defer { server.stop() }
    let place = try Workplace()
    try place.folder.write("old", to: "x")
    let sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    let wrong = try await place.mirror("get", server.link("x"), "x", "--sha256", String(sum.reversed()))
    #expect(wrong.status == 3)
    #expect(try place.folder.readText("x") == "old")
    let large = try await place.mirror("get", server.link("x"), "x", "--max-size", "4")
    #expect(large.status == 3)
    #expect(try place.folder.readText("x") == "old")
    let right = try await place.mirror("get", server.link("x"), "x", "--sha256", sum, "--max-size", "5")
    #expect(right.status == 0, "\(right.errorText)")
    #expect(try place.folder.readText("x") == "hello")
    let gone = try await place.mirror("get", server.link("gone"), "y")
    #expect(gone.status == 3)
    #expect(!place.folder.exists("y"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `mirror completion SHELL: prints a script that names the commands`(shell: String) async throws {
    let run = try await Workplace().mirror("completion", shell)
    #expect(run.status == 0)
    for command in ["apply", "plan", "check", "get"] { #expect(run.outputText.contains(command)) }
    guard shell == "bash" else { return }
    let syntax = try await ChildProcess.run("bash", ["-n"], input: run.standardOutput)
    #expect(syntax.status == 0, "\(syntax.errorText)")
  }

  @Test(arguments: [[], ["apply"], ["plan"], ["check"], ["get"], ["completion"]])
  func `mirror COMMAND --help: begins with two examples`(command: [String]) async throws {
    let run = try await Workplace().mirror(command + ["--help"])
    #expect(run.status == 0)
    let lines = run.outputText.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "Examples:")
    #expect(lines.dropFirst().prefix { !$0.isEmpty }.count { $0.hasPrefix("  mirror ") } == 2)
    #expect(run.errorText == "")
  }

  @Test(arguments: [["aply"], ["apply"], ["apply", "--jbos", "3", "m.yaml"], ["apply", "nowhere.yaml"]])
  func `mirror, used wrongly: ends with 2 and says what to do`(arguments: [String]) async throws {
    let run = try await Workplace().mirror(arguments)
    #expect(run.status == 2)
    #expect(run.outputText == "")
    #expect(run.errorText.hasPrefix("error: "))
  }
}
