// Part files, hosts and runs.

import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("State: part files, hosts and runs")
struct StateSideTableTests {
  let root: TemporaryDirectory
  let store: StateStore

  init() throws {
    root = try TemporaryDirectory(on: .memory)
    store = try StateStore.open(root)
  }

  @Test(
    "a part file's record survives with its validator",
    arguments: [
      Validator.generation(.max), .generation(.min), .strongETag("\"a\""), .strongETag(""), .weakETag("W/\"b\""),
      .lastModified(Timestamp(seconds: -5, nanoseconds: 7)),
    ])
  func parts(validator: Validator) throws {
    let unknown = try PartRecord(
      destination: RelativePath("b/e\u{301}"), temporaryName: ".mirror-1\n", source: "gs://b/o", validator: validator,
      total: nil, bytes: 0, noted: Timestamp(seconds: 9), stretches: [0..<7, 9..<(.max)])
    let known = try PartRecord(
      destination: RelativePath("a"), temporaryName: ".mirror-2", source: "gs://b/p", validator: validator,
      total: .max, bytes: .max, noted: Timestamp(seconds: .max, nanoseconds: 999_999_999))
    try store.keep(unknown)
    try store.keep(known)
    // Committed at once: another connection sees them.
    let reader = try StateStore.open(root, access: .read)
    #expect(try reader.parts() == [known, unknown])
    #expect(try reader.part(for: unknown.destination) == unknown)
    try store.dropPart(for: known.destination)
    #expect(try reader.part(for: known.destination) == nil)
  }

  @Test("a part whose stretches cannot be read is no part: it must not pass for one without holes") func broken() throws
  {
    let part = try PartRecord(
      destination: RelativePath("a"), temporaryName: ".mirror-2", source: "gs://b/p", validator: .generation(1),
      total: 9, bytes: 3, noted: Timestamp(seconds: 9), stretches: [0..<3])
    try store.keep(part, durably: true)
    #expect(try store.parts() == [part])
    try store.database.withLock { database in
      try database?.connection.execute("UPDATE parts SET stretches = '0-3,x'")
    }
    #expect(try store.parts() == [])
    try store.dropPart(for: part.destination, durably: true)
  }

  @Test("a host is remembered by scheme, name and port, and the last word counts")
  func hosts() throws {
    let origin = Origin(scheme: .https, host: "A.example", port: 8443)
    try store.record(HostRecord(origin: origin.description, refusesRanges: false, noted: Timestamp(seconds: 1)))
    let last = HostRecord(origin: origin.description, refusesRanges: true, noted: Timestamp(seconds: 2))
    try store.record(last)
    #expect(try store.host(origin) == last)
    #expect(try store.host(Origin(scheme: .http, host: "a.example", port: 8443)) == nil)
  }

  @Test("runs come newest first, an unfinished one without an end, and the oldest are forgotten")
  func runs() throws {
    for index in 0..<210 {
      try store.record(RunRecord(id: "run-\(index)", started: Timestamp(seconds: Int64(index))))
    }
    var last = RunRecord(id: "run-209", started: Timestamp(seconds: 209), ended: Timestamp(seconds: 300), exitStatus: 3)
    last.counts.transferred = 1
    last.counts.unchanged = 2
    last.counts.deleted = 3
    last.counts.failed = 4
    last.counts.bytes = .max
    try store.record(last)
    #expect(try store.runs(limit: 2) == [last, RunRecord(id: "run-208", started: Timestamp(seconds: 208))])
    let all = try store.runs(limit: 1_000)
    #expect(all.count == 200)
    #expect(all.last?.id == "run-10")
  }

  @Test("the last run that ended well is not forgotten, however many fail after it", arguments: [0, 10] as [Int32])
  func lastSuccess(status: Int32) throws {
    for index in 0..<3 {
      let time = Timestamp(seconds: Int64(index))
      try store.record(RunRecord(id: "good-\(index)", started: time, ended: time, exitStatus: status))
    }
    for index in 0..<300 {
      let time = Timestamp(seconds: Int64(100 + index))
      try store.record(RunRecord(id: "bad-\(index)", started: time, ended: time, exitStatus: 3))
    }
    #expect(try store.runs(limit: 1_000).count == 201)
    let history = try store.history()
    #expect(history.lastSuccess?.id == "good-2")
    #expect(history.failedRuns == 200 && history.failingSince == Timestamp(seconds: 200))
  }
}
