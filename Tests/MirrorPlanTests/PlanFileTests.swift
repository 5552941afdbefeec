// Plans that were written, read back.

import MirrorPlan
import Testing
import TransferModel

@Suite("Plan file")
struct PlanFileTests {
  typealias F = Facts

  static let locals: [LocalFact] = [
    .absent, .directory, .symlink, .other,
    .file(LocalStamp(size: 1, modified: -1_700_000_000_123_456_789, inode: .max), mode: 0o644),
  ]

  static let remotes: [RemoteFact] = [
    .notAsked, .absent,
    .present(
      F.version(
        generation: .max, etag: "\"e\"", modified: Timestamp(seconds: 7, nanoseconds: 9), size: 3, [F.crcA, F.sha256A],
        coding: "gzip")),
    .present(ObjectVersion()),
  ]

  private func write(
    _ rows: [(PlannedEntry, PlanFacts?)], digest: Digest? = F.sha256A, root: String? = "/r"
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try withoutActuallyEscaping({ bytes += $0 }) { sink in
      var document = PlanDocument(
        PlanHeader(version: "1", manifestPath: "m", manifestDigest: digest, root: root, made: F.day), sink: sink)
      for (row, facts) in rows { try document.append(row, facts: facts) }
      try document.finish()
    }
    return bytes
  }

  private func row(_ name: String, _ action: Action = .update) -> PlannedEntry {
    PlannedEntry(destination: name, action: action, reason: .remoteChange, source: "gs://b/o")
  }

  @Test("facts are read back as they were written")
  func facts() throws {
    for local in Self.locals {
      for remote in Self.remotes {
        let facts = PlanFacts(local: local, remote: remote)
        let plan = try PlanReader.read(try write([(row("a"), facts)]))
        #expect(plan.row(at: 0)?.facts == facts)
      }
    }
  }

  @Test("rows are found by destination, whatever their order; what had failed is not among them")
  func rows() throws {
    let facts = PlanFacts(local: .absent, remote: .absent)
    let failed = PlannedEntry(
      destination: "f", action: .error, reason: .failure(.notFound), source: "gs://b/f", failure: PlanTests.failure)
    let plan = try PlanReader.read(
      try write([(row("z"), facts), (row("a", .delete), facts), (failed, facts)]))
    #expect(plan.count == 2)
    #expect(plan.place(of: F.path("f")) == nil)
    #expect(plan.place(of: F.path("a")).flatMap { plan.row(at: $0) }?.action == .delete)
    #expect(plan.place(of: F.path("z")).flatMap { plan.row(at: $0) }?.reason == "remote_change")
    #expect(plan.header.made == F.day && plan.header.manifestPath == "m")
  }

  @Test("a plan of another manifest or another root is refused")
  func refusal() throws {
    let plan = try PlanReader.read(try write([]))
    #expect(plan.refusal(manifestDigest: F.sha256A, root: "/r") == nil)
    #expect(plan.refusal(manifestDigest: F.sha256B, root: "/r")?.reason == .factsMoved)
    #expect(plan.refusal(manifestDigest: nil, root: "/r")?.reason == .factsMoved)
    #expect(plan.refusal(manifestDigest: F.sha256A, root: "/other")?.message.contains("/other") == true)
    let anonymous = try PlanReader.read(try write([], digest: nil, root: nil))
    #expect(anonymous.refusal(manifestDigest: F.sha256A, root: "/r") != nil)
  }

  @Test(
    "what is no plan is refused with the place",
    arguments: ["", "[]", "{}", #"{"schema": "mirror.report/1"}"#, #"{"schema": "mirror.plan/1", "rows": [{}]}"#])
  func broken(text: String) {
    #expect(throws: JSONError.self) { try PlanReader.read(Array(text.utf8)) }
  }

  @Test("a destination that is planned twice is refused")
  func twice() throws {
    let bytes = try write([(row("a"), nil), (row("a"), nil)])
    #expect(throws: JSONError.self) { try PlanReader.read(bytes) }
  }

  @Test("the schema knows what the writer writes")
  func schema() throws {
    let schema = try SchemaFile.named("plan.schema.json")
    let rows = Self.remotes.flatMap { remote in
      Self.locals.map { (PlanTests.rows[6], PlanFacts(local: $0, remote: remote)) }
    }
    let more = PlanTests.rows.map { ($0, PlanFacts?.none) }
    #expect(try schema.faults(of: String(decoding: write(rows + more), as: UTF8.self)) == [])
  }
}
