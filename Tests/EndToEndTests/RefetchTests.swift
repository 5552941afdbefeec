// P21: bytes that a checksum refuses are fetched once more, from the first, and no third time.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct RefetchTests {
  private static let content = TestBytes.make(1_500_000)

  struct Case: Sendable, CustomTestStringConvertible {
    var kind: String
    /// What the server leaves out, so that one digest alone is left to find the fault.
    var faults = ""
    var isPinned = false
    var algorithm: String
    /// How the wrong bytes come.
    var wrong = "swap at byte 700000"
    var testDescription: String { "\(kind), \(algorithm)\(isPinned ? " pinned" : ""), \(wrong)" }
  }

  static let cases: [Case] = [
    Case(kind: "gcs", algorithm: "crc32c"), Case(kind: "gcs", faults: "hash crc32c none", algorithm: "md5"),
    Case(kind: "firebase", algorithm: "crc32c"), Case(kind: "web", algorithm: "crc32c"),
    Case(kind: "web", faults: "hash crc32c none", algorithm: "md5"),
    Case(kind: "web", faults: "hash none", isPinned: true, algorithm: "sha256"),
    Case(kind: "gcs", isPinned: true, algorithm: "sha256"),
    Case(kind: "web", faults: "hash none", isPinned: true, algorithm: "sha256", wrong: "swap at byte 0"),
    Case(kind: "web", faults: "hash none", isPinned: true, algorithm: "sha256", wrong: "swap at byte 1499999"),
    Case(kind: "web", faults: "hash none", isPinned: true, algorithm: "sha256", wrong: "chunked; swap at byte 9"),
    Case(
      kind: "web", faults: "hash none", isPinned: true, algorithm: "sha256", wrong: "close-delimited; swap at byte 9"),
    Case(kind: "web", algorithm: "crc32c", wrong: "chunked; swap at byte 1000000"),
    Case(kind: "web", algorithm: "crc32c", wrong: "close-delimited; swap at byte 1000000"),
  ]

  private func run(_ test: Case, always: Bool) async throws -> (AppliedRun, StorageEmulator, Workplace) {
    let all = test.faults.isEmpty ? "" : "on media b/big.bin => \(test.faults)\n"
    let some = test.faults.isEmpty ? test.wrong : "\(test.faults); \(test.wrong)"
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on media b/big.bin\(always ? "" : " request 1") => \(some)\n" + all)
    let sum = try await ChildProcess.run("sha256sum", input: [UInt8](Self.content)).outputText.prefix(64)
    let reference = test.kind == "web" ? server.link("big.bin") : "big.bin"
    let place = try Workplace(
      server.port, api: test.kind == "firebase" ? "firebase" : "gcs",
      "items: [{ref: \"\(reference)\", to: big.bin\(test.isPinned ? ", sha256: \(sum)" : "")}]")
    return (try await place.apply(), server, place)
  }

  private func media(_ server: StorageEmulator) -> [String] {
    server.log.filter { $0.method == "GET" && !$0.target.contains("/o?") }.map { $0.fields["Range"] ?? "-" }
  }

  @Test(arguments: cases)
  func `mirror apply: P21 a failed checksum is one clean refetch, counted, with both hashes in the report`(
    _ test: Case
  ) async throws {
    let (run, server, place) = try await run(test, always: false)
    defer { server.stop() }
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    let item = try run.item("big.bin")
    #expect(item.attempts.map(\.error) == ["checksum_mismatch", nil])
    #expect(item.bytesWasted == Self.content.count)
    #expect(run.report.totals.retries == 1)
    #expect(media(server).suffix(2) == ["-", "-"], "from the first byte both times")
    let message = try #require(item.attempts.first?.message)
    #expect(message.contains(test.algorithm))
    // Both hashes, as long as the algorithm has them.
    let hexadecimal = message.split { !$0.isHexDigit }.filter { $0.count >= 8 }
    #expect(Set(hexadecimal).count >= 2, "\(message)")
    #expect(item.provenBy == (test.isPinned ? "pinned_hash" : "remote_hash"))
  }

  @Test(arguments: cases.filter { $0.wrong == "swap at byte 700000" })
  func `mirror apply: P21 what is wrong twice is given up, and the old file stays`(_ test: Case) async throws {
    let (run, server, place) = try await run(test, always: true)
    defer { server.stop() }
    #expect(run.status == 3, "\(run.said)")
    #expect(try place.names() == [])
    #expect(run.failures == ["big.bin": "checksum_mismatch"])
    #expect(try run.item("big.bin").attempts.count == 2)
  }

  @Test func `mirror apply: P21 a continued part that proves wrong is fetched anew as a whole`() async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: """
        on media b/big.bin request 1 => cut 1200000
        on media b/big.bin request 2 => swap at byte 0
        """)
    defer { server.stop() }
    let place = try Workplace(server.port, "items: [{ref: big.bin, to: big.bin}]")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(try run.item("big.bin").attempts.map(\.error) == ["truncated", "checksum_mismatch", nil])
    #expect(server.ranges.suffix(3) == ["-", "bytes=1200000-", "-"])
  }
}
