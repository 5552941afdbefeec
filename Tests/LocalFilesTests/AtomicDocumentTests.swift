// Readers of a report see the old one or the new one, whole.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Atomic documents")
struct AtomicDocumentTests {
  let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("nothing shows before publish, all of it after")
  func publish() throws {
    try directory.write("out/report.json", "old")
    let document = try AtomicDocument(directory.path("out/report.json"))
    let line = String(repeating: "x", count: 1_000)
    for _ in 0..<200 { try document.append(line) }
    try document.append([0x0A])
    #expect(directory.read("out/report.json") == "old")
    try document.publish()
    #expect(directory.read("out/report.json")?.utf8.count == 200_001)
    #expect(directory.names("out") == ["report.json"])
    document.abandon()
    #expect(directory.read("out/report.json")?.utf8.count == 200_001)
  }

  @Test("an abandoned or forgotten document leaves the old one and no rubbish")
  func abandon() throws {
    try directory.write("report.json", "old")
    let document = try AtomicDocument(directory.path("report.json"))
    try document.append("half of")
    document.abandon()
    do { try AtomicDocument(directory.path("report.json")).append("half of") }
    #expect(directory.read("report.json") == "old")
    #expect(directory.names() == ["report.json"])
    #expect(failure { try document.publish() }?.reason == .ioError)
  }

  @Test("missing folders are made, a link is replaced and not written through")
  func paths() throws {
    let fresh = try AtomicDocument(directory.path("a/b/c.json"))
    try fresh.append("new")
    try fresh.publish()
    #expect(directory.read("a/b/c.json") == "new")
    try directory.write("target", "precious")
    try directory.link("link.json", to: "target")
    let linked = try AtomicDocument(directory.path("link.json"))
    try linked.publish()
    #expect(directory.read("target") == "precious")
    #expect(directory.read("link.json") == "")
  }

  @Test("a directory or a device is never replaced")
  func refused() throws {
    try directory.makeDirectory("d")
    for (path, reason) in [
      (directory.path("d"), ReasonCode.isADirectory), (directory.path("d/"), .isADirectory),
      (directory.path("d/.."), .isADirectory),
      ("/dev/null", .nameConflict),
    ] {
      #expect(failure { _ = try AtomicDocument(path) }?.reason == reason, "\(path)")
    }
    #expect(directory.names("d").isEmpty)
  }
}
