// Manifests as files: thirty mistakes in one run, hostile YAML, and every manifest that the repository shows.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct ManifestTests {
  /// Thirty mistakes; every reference would reach a server on this port.
  private static func mistakes(_ port: UInt16) -> String {
    let web = "http://127.0.0.1:\(port)"
    return """
      version: 3
      root: out
      colour: blue
      storage: {bucket: "gs://b", api: soap, emulator: "127.0.0.1:\(port)"}
      defaults:
        max_size: huge
        verify: sometimes
        content: zipped
        mode: "9999"
        timeout: {connect: soon, idel: 3s}
        retry: {for: ever, statuses: [200]}
      limits: {jobs: 0, per_host: many}
      items:
        - {ref: "\(web)/1", to: /absolute}
        - {ref: "\(web)/2", to: a/../b}
        - {ref: "ftp://127.0.0.1/3", to: three}
        - {ref: "\(web)/4", to: four, sha256: abc}
        - {ref: "\(web)/5", to: five, size: big}
        - {ref: "\(web)/6", to: six}
        - {ref: "\(web)/7", to: six}
        - {ref: "\(web)/8"}
        - {to: nine}
        - {reff: "\(web)/10", to: ten, ref: "\(web)/10"}
        - {ref: "${NOT_SET_ANYWHERE}", to: eleven}
        - {ref: "\(web)/12", to: twelve, to: twelve-again}
        - {ref: "\(web)/13", to: [thirteen]}
        - {ref: "\(web)/14", to: six/below}
      trees:
        - {ref: "\(web)/tree/", to: tree/}
        - {ref: "gs://b/t/", to: t/, include: ["[open"]}
        - {ref: "gs://b/u/", to: u/, prune: {enabled: perhaps}}

      """
  }

  @Test(arguments: [["check"], ["apply"], ["apply", "-n"], ["plan"]])
  func `mirror COMMAND: thirty mistakes are thirty errors, and nothing is done`(command: [String]) async throws {
    let server = try RawServer { $0.waitForClose() }
    defer { server.stop() }
    let place = try Workplace()
    try place.folder.write(Self.mistakes(server.port), to: "mirror.yaml")
    let run = try await place.mirror(command + ["mirror.yaml"])
    #expect(run.status == 2)
    let errors = run.errorText.split(separator: "\n").filter { $0.hasPrefix("error: ") }
    #expect(errors.count == 30, "\(errors.joined(separator: "\n"))")
    #expect(Set(errors).count == 30)
    #expect(run.errorText.split(separator: "\n").count { $0.contains("--> mirror.yaml:") } == 30)
    #expect(run.errorText.contains("did you mean `ref`?"))
    #expect(run.outputText == "")
    #expect(server.connectionCount == 0)
    #expect(try place.folder.tree().map(\.path) == ["mirror.yaml"])
  }

  @Test func `mirror check --json: thirty mistakes are one document`() async throws {
    let place = try Workplace()
    try place.folder.write(Self.mistakes(9), to: "mirror.yaml")
    let run = try await place.mirror("check", "--json", "mirror.yaml")
    #expect(run.status == 2)
    let findings = try JSONSerialization.jsonObject(with: Data(run.standardOutput)) as? [[String: Any]]
    #expect(findings?.count == 30)
    #expect(run.errorText == "")
  }

  private func check(_ text: [UInt8]) async throws -> ChildResult {
    let place = try Workplace()
    try place.folder.write(text, to: "mirror.yaml")
    return try await place.mirror(["check", "mirror.yaml"], timeout: .seconds(20))
  }

  private func check(_ text: String) async throws -> ChildResult { try await check(Array(text.utf8)) }

  @Test(arguments: [
    "items: [{ref: gs://b/x, to: a, to: b}]", "items: []\nitems: []",
    "x-a: &a {to: a}\nitems: [{<<: *a, ref: gs://b/x, ref: gs://b/y}]",
  ])
  func `mirror check: P75 a key that is there twice is an error`(entries: String) async throws {
    let run = try await check("version: 1\nroot: out\n\(entries)\n")
    #expect(run.status == 2)
    #expect(run.errorText.contains("is here twice"), "\(run.errorText)")
  }

  @Test func `mirror plan: P76 texts stay what was typed`() async throws {
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    let names = ["1.10", "no", "0644", "1e3", "12:30:45", "2001-01-01", "true", "0x10", "~"]
    for name in names { server.put(name, Data(name.utf8)) }
    let place = try Workplace(
      server.port, "items:\n" + names.map { "  - {ref: gs://b/\($0), to: \($0)}" }.joined(separator: "\n"))
    #expect(try await place.apply().status == 0)
    for name in names { #expect(place.text(name) == name) }
    #expect(try await check("version: 1\nroot: out\nitems: [{ref: gs://b/x, to: x, generation: 0123}]\n").status == 2)
  }

  @Test func `mirror check: P77 a BOM and CRLF are fine, UTF-16 is a clear error`() async throws {
    let text = "version: 1\nroot: out\nitems: [{ref: gs://b/x, to: x}]"
    let dos = text.replacingOccurrences(of: "\n", with: "\r\n")
    #expect(try await check("\u{FEFF}" + dos).status == 0)
    let wide = Array("\u{FEFF}\(text)".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let run = try await check(wide)
    #expect(run.status == 2)
    #expect(run.errorText.contains("UTF-16"), "\(run.errorText)")
  }

  @Test(arguments: ["P78", "P79"])
  func `mirror check: P78 P79 a text that would explode is refused at once`(id: String) async throws {
    var text = "version: 1\nroot: out\n"
    if id == "P78" {
      text += "x-0: &a0 [x, x, x, x, x, x, x, x, x]\n"
      for level in 1...9 {
        text +=
          "x-\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
      }
      text += "items: *a9\n"
    } else {
      text += "items: " + String(repeating: "[", count: 50_000)
    }
    let start = ContinuousClock.now
    let run = try await check(text)
    #expect(run.status == 2, "\(id)")
    #expect(run.errorText.contains("error: "))
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func `mirror check - : reads standard input`() async throws {
    let place = try Workplace()
    let run = try await place.mirror(
      ["check", "-"], input: Array("version: 1\nroot: out\nitems: [{ref: gs://b/x, to: x}]\n".utf8))
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.outputText == "-: 1 items, 0 trees, no errors\n")
  }

  // MARK: What the repository shows

  private static let repository = BuiltProducts.packageFolder

  @Test func `mirror check: every manifest of the repository is good`() async throws {
    let place = try Workplace()
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(Self.repository)/manifests")
      .filter { $0.hasSuffix(".yaml") }
    #expect(names.count >= 2)
    for name in names {
      let run = try await place.mirror("check", "\(Self.repository)/manifests/\(name)")
      #expect(run.status == 0, "\(name): \(run.errorText)")
      #expect(run.errorText == "", "\(name)")
    }
  }

  @Test func `mirror check: every manifest of the README is good`() async throws {
    let readme = try String(contentsOfFile: "\(Self.repository)/README.md", encoding: .utf8)
    let blocks = readme.components(separatedBy: "```yaml\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] + "\n" }.filter { $0.contains("version:") }
    #expect(!blocks.isEmpty)
    for block in blocks {
      let place = try Workplace()
      try place.folder.write(block, to: "mirror.yaml")
      let sum = String(repeating: "a0", count: 32)
      let run = try await place.mirror("check", "mirror.yaml", environment: ["X_SHA256": sum])
      #expect(run.status == 0, "\(run.errorText)")
    }
  }

  @Test func `mirror apply manifests/quickstart.yaml: mirrors the sample bucket, then has nothing to do`() async throws
  {
    let server = try StorageEmulator()
    defer { server.stop() }
    let objects = [
      "images/stars.jpg": TestBytes.make(3_000_000), "notes/read me first.txt": Data("Read me".utf8),
      "models/small.bin": TestBytes.make(1_000), "models/größe L/大.bin": TestBytes.make(2_000, seed: 2),
      "models/version.txt": Data("v1".utf8), "models/draft.tmp": Data("no".utf8),
    ]
    for (name, bytes) in objects { server.objects.put("quickstart", name, [UInt8](bytes)) }
    let place = try Workplace()
    let environment = [
      "FIREBASE_STORAGE_EMULATOR_HOST": "127.0.0.1:\(server.port)", "QUICKSTART_ROOT": place.folder.path("out"),
    ]
    let manifest = "\(Self.repository)/manifests/quickstart.yaml"
    let first = try await place.mirror("apply", "--report", "report.json", manifest, environment: environment)
    #expect(first.status == 0, "\(first.errorText)")
    #expect(try place.report().totals.downloaded == 5)
    for (name, bytes) in objects where !name.hasSuffix(".tmp") { #expect(place.content(name) == bytes, "\(name)") }
    #expect(try place.names().count == 5)
    let second = try await place.mirror("apply", "--detailed-exitcode", manifest, environment: environment)
    #expect(second.status == 0, "\(second.errorText)")
  }
}
