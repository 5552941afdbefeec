// Which layouts are ours, and how an older one becomes today's.

import Glibc
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("State: layouts")
struct StateSchemaTests {
  /// The layout after next, as it may be some day.
  static let later = StateSchema(
    steps: StateSchema.current.steps + [
      "ALTER TABLE hosts ADD COLUMN latency INTEGER", "UPDATE hosts SET latency = 5",
    ])

  @Test(
    "a file is judged by its header and its tables",
    arguments: [
      (0, 0, 0, StateSchema.Verdict.empty), (StateSchema.applicationID, 0, 0, .empty), (0, 0, 1, .foreign),
      (StateSchema.applicationID, 0, 1, .foreign), (0, 1, 4, .foreign), (99, 3, 4, .foreign), (99, 0, 0, .foreign),
      (StateSchema.applicationID, 1, 4, .older(version: 1)), (StateSchema.applicationID, 4, 4, .older(version: 4)),
      (StateSchema.applicationID, 5, 4, .current), (StateSchema.applicationID, 5, 0, .foreign),
      (StateSchema.applicationID, 6, 4, .newer(version: 6)), (StateSchema.applicationID, -1, 4, .foreign),
    ] as [(Int64, Int64, Int64, StateSchema.Verdict)])
  func verdicts(applicationID: Int64, version: Int64, tables: Int64, expected: StateSchema.Verdict) {
    #expect(Self.later.verdict(applicationID: applicationID, version: version, tables: tables) == expected)
  }

  @Test("an older file is converted, and its rows stay")
  func migration() throws {
    let root = try TemporaryDirectory(on: .memory)
    let store = try StateStore.open(root)
    try store.record(.sample("kept"))
    try store.record(HostRecord(origin: "https://a", refusesRanges: true, noted: Timestamp(seconds: 1)))
    try store.close()

    var notices: [StateNotice] = []
    let location = StateLocation(root: root.path)
    let database = try StateDatabase.forWriting(location, schema: Self.later, notices: &notices)
    #expect(try database.row(for: RelativePath("kept")) == .sample("kept"))
    #expect(try database.connection.integer("SELECT latency FROM hosts") == 5)
    #expect(try database.connection.integer("PRAGMA user_version") == 5)
    #expect(notices.isEmpty)
  }

  @Test("a conversion that fails changes nothing; the old file is moved aside")
  func migrationFails() throws {
    let root = try TemporaryDirectory(on: .memory)
    try StateStore.open(root).close()
    let old = try root.read(".mirror/state.db")
    let broken = StateSchema(steps: StateSchema.current.steps + ["DROP TABLE hosts; DROP TABLE no_such_table"])
    var notices: [StateNotice] = []
    let location = StateLocation(root: root.path)
    // A new file cannot be made by the broken step either, which is our own fault and a failure.
    #expect(throws: TransferFailure.self) {
      _ = try StateDatabase.forWriting(location, schema: broken, notices: &notices)
    }
    #expect(notices.count == 1)
    #expect(try root.read(".mirror/state.db.damaged-1") == old)
  }

  @Test("an older file is not converted by a run that only reads")
  func readingDoesNotMigrate() throws {
    let root = try TemporaryDirectory(on: .memory)
    try StateStore.open(root).close()
    let before = try root.read(".mirror/state.db")
    var notices: [StateNotice] = []
    let location = StateLocation(root: root.path)
    #expect(try StateDatabase.forReading(location, schema: Self.later, notices: &notices) == nil)
    #expect(notices.map(\.message).first?.contains("earlier layout (3)") == true)
    #expect(try root.read(".mirror/state.db") == before)
  }

  @Test(
    "an answer of SQLite is damage or a refusal",
    arguments: [
      (Code.corrupt, 0, .damaged), (Code.corrupt | 1 << 8, 0, .damaged), (Code.notadb, 0, .damaged),
      (Code.error, 0, .damaged), (Code.ioerr | 1 << 8, EIO, .damaged), (SQLiteError.shortRead, 0, .damaged),
      (SQLiteError.fileMoved, 0, .damaged), (Code.ioerr | 3 << 8, EIO, .refused(.ioError)),
      (Code.ioerr | 3 << 8, ENOSPC, .refused(.diskFull)), (Code.ioerr | 4 << 8, EDQUOT, .refused(.diskFull)),
      (Code.full, 0, .refused(.diskFull)), (Code.readonly, 0, .refused(.readOnly)),
      (Code.cantopen, EACCES, .refused(.permissionDenied)), (Code.cantopen, EROFS, .refused(.readOnly)),
      (Code.cantopen, EMFILE, .refused(.tooManyOpenFiles)), (Code.cantopen, 0, .refused(.ioError)),
      (Code.nomem, 0, .refused(.outOfMemory)), (Code.busy, 0, .refused(.ioError)),
      (Code.locked, 0, .refused(.ioError)), (Code.perm, 0, .refused(.permissionDenied)),
    ] as [(Int32, Int32, SQLiteError.Meaning)])
  func meanings(code: Int32, systemError: Int32, expected: SQLiteError.Meaning) {
    #expect(SQLiteError(code: code, message: "", systemError: systemError).meaning == expected)
  }
}

/// Primary result codes, as https://www.sqlite.org/rescode.html numbers them.
private enum Code {
  static let corrupt: Int32 = 11
  static let notadb: Int32 = 26
  static let error: Int32 = 1
  static let ioerr: Int32 = 10
  static let full: Int32 = 13
  static let readonly: Int32 = 8
  static let cantopen: Int32 = 14
  static let nomem: Int32 = 7
  static let busy: Int32 = 5
  static let locked: Int32 = 6
  static let perm: Int32 = 3
}
