// What a server says about names never chooses where a file goes.

import StorageEmulator
import TestSupport
import Testing

@testable import MirrorEngine

@Suite struct ServerNamesTests {
  @Test(arguments: [
    "attachment; filename=\\\"../../escape\\\"", "attachment; filename*=UTF-8''..%2F..%2Fescape",
    "inline; filename=other",
  ])
  func `P40 Content-Disposition does not choose the name`(field: String) async throws {
    let run = try CredentialsRun("put b x text hello\non GET => header \"Content-Disposition: \(field)\"")
    let result = try await run.apply([], [(CredentialsRun.web("\(run.emulator.url)/b/x"), "wanted")])
    #expect(result.status == .done, "\(result.summary)")
    #expect(try run.folder.readText("out/wanted") == "hello")
    let names = try run.folder.tree().map(\.path)
    #expect(names.allSatisfy { !$0.contains("escape") && !$0.contains("other") }, "\(names)")
  }

  @Test func `P41 metadata of another object is an error, and the file stays`() async throws {
    let run = try CredentialsRun("put bucket wanted text hello")
    #expect(try await run.apply([], [(CredentialsRun.object("wanted"), "wanted")]).status == .done)
    let other = #"{\"name\": \"other\", \"bucket\": \"bucket\", \"generation\": \"5\"}"#
    try run.emulator.play("on GET target /v0/b/bucket/o/wanted\n  status 200 body text \"\(other)\"\n")
    let second = try await run.apply([], [(CredentialsRun.object("wanted"), "wanted")])
    #expect(second.status == .failedForGood, "\(second.summary)")
    #expect(try run.folder.readText("report.json").contains("unexpected_content"))
    #expect(try run.folder.readText("out/wanted") == "hello")
  }
}
