// A plan as lines and as JSON.

import Foundation
import MirrorPlan
import Testing
import TransferModel

@Suite("Plan")
struct PlanTests {
  static let failure = TransferFailure(.notFound, .permanent, "There is no object gs://b/g.", hint: "Check the name.")
  static let rows = [
    PlannedEntry(destination: "a", action: .download, size: 10, reason: .new, source: "gs://b/a"),
    PlannedEntry(
      destination: "d/b\n", action: .update, size: ByteCount(5 << 30), comparedBy: .generation, reason: .remoteChange,
      source: "gs://b/b"),
    PlannedEntry(destination: "c", action: .adopt, size: 1, comparedBy: .hash, reason: .present, source: "gs://b/c"),
    PlannedEntry(destination: "d", action: .skip, size: 1, comparedBy: .size, reason: .unchanged, source: "gs://b/d"),
    PlannedEntry(destination: "e", action: .delete, size: 1, reason: .gone, source: "gs://b/e"),
    PlannedEntry(
      destination: "f", action: .metadata, size: 1, comparedBy: .pin, reason: .modeDrift, source: "gs://b/f"),
    PlannedEntry(
      destination: "g", action: .error, reason: .failure(.notFound), source: "gs://b/g", failure: failure),
    PlannedEntry(
      destination: "h", action: .conflict, size: 1_024, reason: .failure(.nameConflict), source: "gs://b/h",
      failure: TransferFailure(.nameConflict, .permanent, "h is a folder.")),
    PlannedEntry(destination: "i", action: .download, reason: .new, source: "https://a.example/i"),
  ]

  @Test("P58, P71: every action is a line of its own with size, name and reason")
  func lines() {
    let text = PlanText()
    #expect(
      Self.rows.compactMap { text.lines(for: $0) }.joined() == """
        +       10 B  a  new
        ~    5.0 GiB  d/b\\n  remote change, by generation
        -        1 B  e  gone
        m        1 B  f  mode drift, by pin
        !          -  g  There is no object gs://b/g. [not_found]
            hint: Check the name.
        !    1.0 KiB  h  h is a folder. [name_conflict]
        +          -  i  new

        """)
    let verbose = PlanText(verbose: true)
    #expect(verbose.lines(for: Self.rows[2]) == "=        1 B  c  present, by hash\n")
    #expect(verbose.lines(for: Self.rows[3]) == "=        1 B  d  unchanged, by size\n")
  }

  @Test("the last line sums up")
  func summary() {
    #expect(
      PlanText().summary(of: Plan(Self.rows).totals)
        == "Plan: 2 to download (10 B), 1 to update (5.0 GiB), 1 to set the mode or time of, 1 to delete, 2 unchanged, "
        + "1 in conflict, 1 with an error. 1 of unknown size. 1 compared by date, size or nothing better.\n")
    var totals = PlanTotals()
    for _ in 0..<9_996 {
      totals.add(
        PlannedEntry(destination: "x", action: .skip, comparedBy: .generation, reason: .unchanged, source: ""))
    }
    #expect(
      PlanText().summary(of: totals) == "Plan: 0 to download, 0 to update, 0 to delete, 9,996 unchanged.\n")
    #expect(totals.hasChanges == false)
    #expect(Plan(Self.rows).totals.hasChanges)
  }

  @Test("P63: an empty plan says so")
  func empty() {
    #expect(PlanText().summary(of: PlanTotals()) == "Plan: 0 items, nothing to do.\n")
  }

  @Test("P74: sizes that cannot be do not stop the program")
  func saturation() {
    let huge = PlannedEntry(
      destination: "x", action: .download, size: ByteCount(.max), reason: .new, source: "gs://b/x")
    #expect(Plan([huge, huge]).totals.downloadBytes == .max)
  }

  @Test("P59: a plan is one JSON document, byte for byte")
  func document() throws {
    var bytes: [UInt8] = []
    try withoutActuallyEscaping({ bytes += $0 }) { sink in
      var document = PlanDocument(
        PlanHeader(
          version: "1.0.0", manifestPath: "m.yaml", manifestDigest: nil, made: Timestamp(seconds: 1_700_000_000)),
        sink: sink)
      try document.append(
        Self.rows[1],
        facts: PlanFacts(
          local: Facts.file(), remote: .present(Facts.version(generation: 5, size: 10, [Facts.crcB]))))
      try document.append(Self.rows[6])
      try document.finish()
    }
    #expect(String(decoding: bytes, as: UTF8.self) == Self.expected)
    _ = try ReportTests.parse(String(decoding: bytes, as: UTF8.self))
  }

  static let expected = #"""
    {
      "schema": "mirror.plan/1",
      "version": "1.0.0",
      "made": "2023-11-14T22:13:20.000Z",
      "manifest": {"path": "m.yaml"},
      "rows": [
        {"to": "d/b\n", "action": "update", "reason": "remote_change", "compared_by": "generation", "size": 5368709120, "ref": "gs://b/b", "facts": {"local": {"kind": "file", "size": 10, "modified": "1000", "inode": "7", "mode": 420}, "remote": {"kind": "present", "generation": "5", "size": 10, "hashes": {"crc32c": "bbbbbbbb"}}}},
        {"to": "g", "action": "error", "reason": "not_found", "compared_by": "none", "ref": "gs://b/g", "error": {"code": "objectNotFound", "name": "not_found", "message": "There is no object gs://b/g.", "hint": "Check the name."}}
      ],
      "totals": {"items": 2, "download": 0, "update": 1, "adopt": 0, "metadata": 0, "skip": 0, "delete": 0, "conflict": 0, "error": 1, "download_bytes": 0, "update_bytes": 5368709120, "unknown_sizes": 0, "weak_comparisons": 0, "not_looked_up": 0}
    }

    """#

  @Test("a plan is refused for an entry whose facts have moved")
  func facts() {
    let planned = PlanFacts(
      local: Facts.file(), remote: .present(Facts.version(generation: 5, etag: "\"1\"", size: 10)))
    var now = planned
    now.remote = .present(Facts.version(generation: 5, etag: "\"2\"", size: 10))
    #expect(planned.stillHold(now, isStorage: true), "reading an object changes its ETag")
    #expect(!planned.stillHold(now, isStorage: false))
    now.remote = .present(Facts.version(generation: 6))
    #expect(!planned.stillHold(now, isStorage: true))
    #expect(!planned.stillHold(PlanFacts(local: planned.local, remote: .absent), isStorage: true))
    #expect(!planned.stillHold(PlanFacts(local: Facts.file(Facts.touched), remote: planned.remote), isStorage: true))
  }

  @Test("a row shows what the decision knows")
  func row() throws {
    let entry = Facts.entry([Facts.web], size: 3)
    let row = PlannedEntry(entry, Decision(.download, .new, fetch: .whole))
    #expect(
      row == PlannedEntry(destination: "d/f", action: .download, size: 3, reason: .new, source: "https://a.example/o"))
    let known = PlannedEntry(entry, Decision(.skip, .unchanged), remote: .present(Facts.version(size: 4)))
    #expect(known.size == 4)
  }
}
