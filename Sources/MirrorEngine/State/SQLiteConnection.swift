// One connection to one SQLite database. Knows SQLite's rules and nothing of what is stored.

import CSQLite

/// An open database. Opened without SQLite's own mutexes: at most one thread at a time may be in it, which the owner
/// sees to (`StateStore` does, with a lock).
final class SQLiteConnection {
  enum Access: Hashable {
    case createOrWrite
    /// Reads, and takes part in locking, for which it may have to make SQLite's `-shm` file.
    case read
    /// Reads a file that no one changes, without locks and without another file.
    case readUnchanging
  }

  let handle: OpaquePointer

  /// How long a statement waits for a lock of another process, in milliseconds.
  private static let busyTimeout: Int32 = 5_000

  init(path: String, access: Access) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    flags |= access == .createOrWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(Self.uri(path, access: access), &opened, flags, nil)
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory") }
    guard code == SQLITE_OK else {
      let error = Self.error(code, in: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(opened, Self.busyTimeout)
  }

  deinit {
    // The "v2" form waits for statements that still live, so the order of release does not matter.
    sqlite3_close_v2(handle)
  }

  /// Whether the file could only be opened for reading, although writing was asked for.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Throws when the file was deleted or replaced since it was opened: what is written then is lost without an error.
  func checkInPlace() throws(SQLiteError) {
    var hasMoved: Int32 = 0
    // Not every kind of file can tell; one that cannot is taken to be in place.
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0 else {
      return
    }
    throw SQLiteError(code: SQLiteError.fileMoved, message: "the file was deleted or replaced")
  }

  /// Runs statements that give no rows, or whose rows do not matter.
  func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    // The length counts the closing NUL, which spares SQLite a copy.
    let code = sqlite3_prepare_v3(
      handle, sql, Int32(sql.utf8.count + 1), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code) }
    return SQLiteStatement(prepared, in: self)
  }

  /// The first column of the first row; nil when there is no row or the value is NULL.
  func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(at: 0) : nil
  }

  /// Runs `body` in one transaction that takes the write lock at once; rolled back when `body` throws.
  func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    try execute("BEGIN IMMEDIATE")
    do {
      try body()
      try execute("COMMIT")
    } catch {
      // Some errors have rolled back already; a second ROLLBACK then fails and changes nothing.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Runs `body`, which only reads, in one transaction.
  func reading(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    try execute("BEGIN")
    defer { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    try body()
  }

  func error(_ code: Int32) -> SQLiteError { Self.error(code, in: handle) }

  private static func error(_ code: Int32, in handle: OpaquePointer) -> SQLiteError {
    SQLiteError(
      code: code, message: String(cString: sqlite3_errmsg(handle)), systemError: sqlite3_system_errno(handle))
  }

  /// The path as a `file:` URI (https://www.sqlite.org/uri.html): a build of SQLite may read any name that begins with
  /// `file:` as one, so every name is given as one.
  static func uri(_ path: String, access: Access) -> String {
    var uri = path.hasPrefix("/") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        uri += byte < 0x10 ? "%0" : "%"
        uri += String(byte, radix: 16, uppercase: true)
      }
    }
    return access == .readUnchanging ? uri + "?immutable=1" : uri
  }
}
