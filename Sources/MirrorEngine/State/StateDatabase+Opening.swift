// How the state is opened. It is a cache, so whatever is wrong with the file itself costs a notice and a rebuild; only a
// machine that will not let us write is a failure.

import CSQLite
import TransferModel

/// Something about the state that the user should hear of; never a reason to stop.
package struct StateNotice: Hashable, Sendable {
  /// What was found and what was done about it, one sentence.
  package var message: String
  /// What it costs, or what to do.
  package var hint: String
}

/// What a run may do with the state.
package enum StateAccess: Hashable, Sendable {
  /// Makes, repairs and converts the file as needed.
  case write
  /// Makes, moves and converts nothing; a state that is absent or cannot be used counts as empty.
  case read
}

extension StateDatabase {
  private enum Attempt {
    case opened(StateDatabase)
    /// The words complete "the state … ".
    case unusable(String)
  }

  /// Opens the state for writing. One that cannot be used is moved aside and made anew.
  ///
  /// - Parameter seed: what a new one begins with, before anybody else sees it; nil = nothing.
  static func forWriting(
    _ location: StateLocation, schema: StateSchema = .current, notices: inout [StateNotice],
    seed: StateSeed? = nil
  ) throws(TransferFailure) -> StateDatabase {
    try location.makeFolder()
    switch try attemptToWrite(location, schema, seed) {
    case .opened(let database): return database
    case .unusable(let problem): try moveAside(location, problem: problem, notices: &notices)
    }
    switch try attemptToWrite(location, schema, seed) {
    case .opened(let database): return database
    case .unusable(let problem):
      throw TransferFailure(.ioError, .local, "cannot make a new state: \(location.file) \(problem)")
    }
  }

  /// Moves an unusable state out of the way and says so.
  static func moveAside(
    _ location: StateLocation, problem: String, notices: inout [StateNotice]
  ) throws(TransferFailure) {
    let fate = try location.moveAside().map { "moved to \($0) and " } ?? ""
    notices.append(
      StateNotice(
        message: "the state \(location.file) \(problem); \(fate)made anew",
        hint: "Files already in place are read and compared once; they are not downloaded again."))
  }

  private static func attemptToWrite(
    _ location: StateLocation, _ schema: StateSchema, _ seed: StateSeed?
  ) throws(TransferFailure) -> Attempt {
    let presence = try location.presence()
    if presence == .other { return .unusable("is no regular file") }
    do {
      let connection = try SQLiteConnection(path: location.file, access: .createOrWrite)
      if connection.isReadOnly { return .unusable("may not be written to") }
      switch try schema.verdict(of: connection) {
      case .foreign: return .unusable("belongs to another program")
      case .newer(let version): return .unusable("was written by a later version of mirror (layout \(version))")
      case .current: try configure(connection)
      case .older(let version):
        try configure(connection)
        try schema.migrate(connection, from: version)
      case .empty:
        try configure(connection)
        guard let seed else {
          try schema.migrate(connection, from: 0)
          break
        }
        try seed.attach(to: connection)
        try schema.migrate(connection, from: 0) { () throws(SQLiteError) in try seed.fill(connection) }
        try seed.detach(from: connection)
      }
      return .opened(try StateDatabase(connection))
    } catch {
      // A file that is there and cannot be opened can still be renamed, when the folder lets us; else that will fail
      // and say why.
      let cannotOpen = presence != .absent && error.primaryCode == SQLITE_CANTOPEN
      if error.meaning == .damaged || cannotOpen { return .unusable("cannot be read (\(error.message))") }
      throw error.failure("open", at: location.file)
    }
  }

  /// - WAL, so that `mirror status` may read while a run writes; where the file system has no shared memory SQLite keeps
  ///   its older journal, which is as safe.
  /// - `synchronous=NORMAL`: a power failure may lose the last batches and never damages the file.
  /// - The log is written back every 4,096 pages (16 MiB), not every 1,000: batches of rows in no order touch a page a row,
  ///   and this is a third of the syncs.
  /// - A row that is replaced need not be wiped: there are no secrets in it.
  private static func configure(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = 4096;
      PRAGMA journal_size_limit = 16777216;
      PRAGMA secure_delete = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA cache_size = -8192;
      """)
  }

  /// Opens the state for reading.
  /// - Returns: nil when there is none that can be used, with a notice unless there is none at all.
  static func forReading(
    _ location: StateLocation, schema: StateSchema = .current, notices: inout [StateNotice]
  ) throws(TransferFailure) -> StateDatabase? {
    switch try attemptToRead(location, schema) {
    case .opened(let database)?: return database
    case .unusable(let problem)?:
      notices.append(unusedNotice(location, problem: problem))
      return nil
    case nil: return nil
    }
  }

  /// Says that a state is left as it is and not used.
  static func unusedNotice(_ location: StateLocation, problem: String) -> StateNotice {
    StateNotice(
      message: "the state \(location.file) \(problem); it is not used",
      hint: "The next `mirror apply` makes a new one, for which files already in place are read once.")
  }

  private static func attemptToRead(
    _ location: StateLocation, _ schema: StateSchema
  ) throws(TransferFailure) -> Attempt? {
    switch try location.presence() {
    case .absent: return nil
    case .other: return .unusable("is no regular file")
    case .file(bytes: 0): return nil
    case .file: break
    }
    do {
      return try read(location, access: .read, schema)
    } catch {
      // On a medium that cannot be written, SQLite cannot make the companions it locks with. Then no one else can
      // either, so the file may be read as it is, if nothing waits in its log.
      let needsCompanions = error.primaryCode == SQLITE_CANTOPEN || error.primaryCode == SQLITE_READONLY
      guard needsCompanions, try location.isWithoutLog() else {
        return .unusable("cannot be read (\(error.message))")
      }
    }
    do {
      return try read(location, access: .readUnchanging, schema)
    } catch {
      return .unusable("cannot be read (\(error.message))")
    }
  }

  private static func read(
    _ location: StateLocation, access: SQLiteConnection.Access, _ schema: StateSchema
  ) throws(SQLiteError) -> Attempt? {
    let connection = try SQLiteConnection(path: location.file, access: access)
    switch try schema.verdict(of: connection) {
    case .current: return .opened(try StateDatabase(connection))
    case .empty: return nil
    case .older(let version): return .unusable("is of an earlier layout (\(version))")
    case .newer(let version): return .unusable("was written by a later version of mirror (layout \(version))")
    case .foreign: return .unusable("belongs to another program")
    }
  }
}

extension StateLocation {
  fileprivate func isWithoutLog() throws(TransferFailure) -> Bool {
    switch try presence(of: "-wal") {
    case .absent, .file(bytes: 0): true
    case .file, .other: false
    }
  }
}
