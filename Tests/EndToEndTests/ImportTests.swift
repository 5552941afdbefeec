// `mirror import`: a list becomes a manifest that `mirror apply` takes as it is.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite struct ImportCommandTests {
  private static func url(_ server: StorageEmulator, _ name: String) -> String {
    "http://127.0.0.1:\(server.port)/download/storage/v1/b/b/o/\(name)?alt=media"
  }

  @Test func `mirror import: a list of URLs is mirrored, and a second run has nothing to do`() async throws {
    let server = try StorageEmulator.serving(["one.txt": Data("1".utf8), "two $x.txt": Data("22".utf8)])
    defer { server.stop() }
    let place = try Workplace()
    let list = [Self.url(server, "one.txt"), Self.url(server, "two%20%24x.txt")].joined(separator: "\n")
    try place.folder.write(list + "\n", to: "urls.txt")
    let imported = try await place.mirror("import", "urls.txt", "--root", "out", "-o", "mirror.yaml")
    #expect(imported.status == 0 && imported.outputText == "", "\(imported.errorText)")
    #expect(imported.errorText.contains("mirror.yaml: 2 items"))
    let first = try await place.apply()
    #expect(first.status == 0 && first.report.totals.downloaded == 2, "\(first.said)")
    #expect(place.text("one.txt") == "1" && place.text("two $x.txt") == "22")
    #expect(try await place.apply().report.totals.unchanged == 2)
  }

  @Test func `mirror import: what is there is never replaced, and a list with an error gives no manifest`() async throws
  {
    let place = try Workplace()
    try place.folder.write("mine", to: "mirror.yaml")
    let list: [UInt8] = Array("https://a.example/x\n".utf8)
    let refused = try await place.mirror(["import", "-", "-o", "mirror.yaml"], input: list)
    #expect(refused.status == 2 && refused.errorText.contains("mirror.yaml is there already"))
    #expect(try place.folder.readText("mirror.yaml") == "mine")
    let broken = try await place.mirror(
      ["import", "-", "-o", "new.yaml"], input: list + Array("https://a.example/x/y\nhttps://b.example/x\n".utf8))
    #expect(broken.status == 2 && broken.errorText.contains("-:3:1"), "\(broken.errorText)")
    #expect(!place.folder.exists("new.yaml"))
  }

  @Test func `mirror import: no secret of an aria2 list is shown`() async throws {
    let place = try Workplace()
    let list = "https://u:canary1@a.example/x?token=canary2\n header=Cookie: canary3\nftp://u:canary4@h/y\n"
    let result = try await place.mirror(["import", "-", "--from", "aria2"], input: Array(list.utf8))
    #expect(!result.errorText.contains("canary"), "\(result.errorText)")
  }
}
