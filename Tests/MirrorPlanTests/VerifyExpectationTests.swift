// What a file must be, row by row.

import MirrorPlan
import Testing
import TransferModel

@Suite("Verify")
struct VerifyExpectationTests {
  typealias F = Facts

  static let row = F.row(F.object, digests: [F.crcA])
  static let lock = LockEntry(
    destination: F.path("d"), source: "gs://b/o", size: 10, digests: DigestSet([F.crcA, F.md5A]))
  static let later = Timestamp(seconds: F.day.seconds + 1)

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var expectation: VerifyExpectation
    var local: LocalFact
    var cutoff: Timestamp?
    var expected: VerifyVerdict?
    var reads: DigestAlgorithms = []
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "nobody names it", expectation: .init(), local: F.file(), expected: .unknown),
    Row(name: "nothing where an item belongs", expectation: .init(isItem: true), local: .absent, expected: .missing),
    Row(
      name: "nothing where a locked file belongs", expectation: .init(locked: lock), local: .absent, expected: .missing),
    Row(
      name: "nothing where a recorded file was", expectation: .init(recorded: row), local: .absent, expected: .missing),
    Row(name: "a directory", expectation: .init(recorded: row), local: .directory, expected: .wrong),
    Row(name: "a link", expectation: .init(recorded: row), local: .symlink, expected: .wrong),
    Row(name: "a pipe", expectation: .init(recorded: row), local: .other, expected: .wrong),
    Row(
      name: "the placeholder", expectation: .init(recorded: F.row(F.object, isPlaceholder: true)), local: F.file(),
      expected: .missing),
    Row(
      name: "another size than recorded", expectation: .init(recorded: row), local: F.file(F.grown), expected: .wrong),
    Row(name: "another size than locked", expectation: .init(locked: lock), local: F.file(F.grown), expected: .wrong),
    Row(
      name: "proven at the cutoff", expectation: .init(recorded: row), local: F.file(), cutoff: F.day, expected: .fresh),
    Row(
      name: "proven before the cutoff", expectation: .init(recorded: row), local: F.file(), cutoff: later,
      reads: [.crc32c]),
    Row(
      name: "touched since", expectation: .init(recorded: row), local: F.file(F.touched), cutoff: F.day,
      reads: [.crc32c]),
    Row(
      name: "proven lately to be something else than locked",
      expectation: .init(locked: lock, recorded: F.row(F.object, digests: [F.crcB])), local: F.file(), cutoff: F.day,
      reads: [.crc32c]),
    Row(
      name: "proven lately by another digest than pinned",
      expectation: .init(pins: DigestSet([F.sha256A]), recorded: row),
      local: F.file(), cutoff: F.day, reads: [.crc32c, .sha256]),
    Row(name: "no digest", expectation: .init(isItem: true), local: F.file(), expected: .unproven),
    Row(name: "locked only", expectation: .init(locked: lock), local: F.file(), reads: [.crc32c]),
    Row(
      name: "md5 is all there is",
      expectation: .init(locked: LockEntry(destination: F.path("d"), source: "s", digests: DigestSet([F.md5A]))),
      local: F.file(), reads: [.md5]),
    Row(
      name: "the lock speaks of the coded bytes, the file is decoded",
      expectation: .init(
        locked: LockEntry(
          destination: F.path("d"), source: "s", size: 3, digests: DigestSet([F.sha256B]), contentEncoding: "gzip"),
        recorded: row, content: .decoded), local: F.file(), reads: [.crc32c]),
  ]

  @Test("each row says what it must", arguments: rows)
  func step(_ row: Row) {
    switch row.expectation.step(row.local, provenSince: row.cutoff) {
    case .settled(let verdict, _): #expect(verdict == row.expected)
    case .read(let algorithms):
      #expect(row.expected == nil)
      #expect(algorithms == row.reads)
    }
  }

  @Test("every claim is held against the file, and the message says whose was broken")
  func judge() {
    let all = VerifyExpectation(pins: DigestSet([F.sha256A]), locked: Self.lock, recorded: Self.row)
    #expect(all.judge(DigestSet([F.crcA, F.sha256A])).verdict == .proven)
    let pin = all.judge(DigestSet([F.crcA, F.sha256B]))
    #expect(pin.verdict == .wrong && pin.why?.contains("the manifest says") == true)
    let lock = all.judge(DigestSet([F.crcB, F.sha256A]))
    #expect(lock.verdict == .wrong && lock.why?.contains("the lock file says aaaaaaaa") == true)
    let state = VerifyExpectation(recorded: Self.row).judge(DigestSet([F.crcB]))
    #expect(state.verdict == .wrong && state.why?.contains("when it was written it was") == true)
    #expect(VerifyExpectation(recorded: Self.row).judge(DigestSet([F.sha256A])).verdict == .unproven)
  }

  @Test("files that are as they must be are counted and not listed")
  func lines() {
    #expect(VerifyFinding("a", .proven, size: 3).line(verbose: false) == nil)
    #expect(VerifyFinding("a", .proven, size: 3).line(verbose: true) == "proven     a\n")
    #expect(VerifyFinding("a\n", .wrong, why: "its size").line(verbose: false) == "wrong      a\\n: its size\n")
    var totals = VerifyTotals()
    for finding in [
      VerifyFinding("a", .proven, size: 1_024), VerifyFinding("b", .missing), VerifyFinding("c", .unknown),
    ] {
      totals.add(finding)
    }
    #expect(totals.faults == 1)
    #expect(totals.summary == "Verified: 1 proven (1.0 KiB), 1 missing, 1 unknown.\n")
  }
}
