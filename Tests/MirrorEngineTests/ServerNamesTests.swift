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
}
