// One prepared statement: values in, rows out.

import CSQLite

/// A statement that is prepared once and run many times. Belongs to its connection's thread.
///
/// Parameters and columns both count from 0 here (SQLite itself counts parameters from 1). A value that could not be
/// bound is remembered and thrown by the next `step`.
final class SQLiteStatement {
  private let handle: OpaquePointer
  // Keeps the connection open for as long as the statement lives.
  private let connection: SQLiteConnection
  private var bindFailure: Int32 = SQLITE_OK

  init(_ handle: OpaquePointer, in connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  // MARK: Values in

  func bind(_ value: Int64?, at index: Int32) {
    guard let value else { return bindNull(at: index) }
    note(sqlite3_bind_int64(handle, index + 1, value))
  }

  func bind(_ text: String?, at index: Int32) {
    guard var text else { return bindNull(at: index) }
    let code = text.withUTF8 { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return sqlite3_bind_text(handle, index + 1, "", 0, nil) }
      return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text(handle, index + 1, $0, Int32(bytes.count), mirror_sqlite_transient())
      }
    }
    note(code)
  }

  func bind(_ bytes: [UInt8]?, at index: Int32) {
    guard let bytes else { return bindNull(at: index) }
    // A blob of no bytes must not become NULL, as it would by a null pointer.
    guard !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(handle, index + 1, 0)) }
    note(sqlite3_bind_blob(handle, index + 1, bytes, Int32(bytes.count), mirror_sqlite_transient()))
  }

  private func bindNull(at index: Int32) { note(sqlite3_bind_null(handle, index + 1)) }

  private func note(_ code: Int32) {
    if bindFailure == SQLITE_OK { bindFailure = code }
  }

  // MARK: Running

  /// The next row; false after the last one.
  func step() throws(SQLiteError) -> Bool {
    guard bindFailure == SQLITE_OK else { throw connection.error(bindFailure) }
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw connection.error(code)
    }
  }

  /// Runs a statement that gives no rows, and makes it ready for the next run.
  func run() throws(SQLiteError) {
    defer { reset() }
    while try step() {}
  }

  /// Ends a run and frees the locks it holds; what was bound stays bound until it is bound again.
  func reset() {
    // The code it returns is that of the last step, which has been thrown already.
    sqlite3_reset(handle)
    bindFailure = SQLITE_OK
  }

  // MARK: Rows out

  func integer(at column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
  }

  /// nil for NULL and for bytes that are not UTF-8.
  func text(at column: Int32) -> String? {
    guard let base = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(validating: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// nil for NULL; a blob of no bytes is an empty array.
  func blob(at column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    guard let base = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
