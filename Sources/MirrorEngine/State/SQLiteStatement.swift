// One prepared statement: values in, rows out.

import CSQLite
import TransferModel

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
    bytes.withUnsafeBytes { bind($0, at: index) }
  }

  /// Binds the UTF-8 bytes of a text as a blob.
  func bind(bytesOf text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bind(UnsafeRawBufferPointer($0), at: index) }
  }

  /// Binds a copy of the bytes. A blob of no bytes must not become NULL, as it would by a null pointer.
  func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else {
      return note(sqlite3_bind_zeroblob(handle, index + 1, 0))
    }
    note(sqlite3_bind_blob(handle, index + 1, base, Int32(bytes.count), mirror_sqlite_transient()))
  }

  func bind(_ digest: Digest?, at index: Int32) {
    guard let digest else { return bindNull(at: index) }
    digest.withUnsafeBytes { bind($0, at: index) }
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
    return Self.text(UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// nil for bytes that are not UTF-8. ASCII, which names nearly always are, needs no validation.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    bytes.allSatisfy { $0 < 0x80 }
      ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  /// The bytes of a blob as text; nil for NULL and for bytes that are not UTF-8.
  func blobText(at column: Int32) -> String? {
    withBlob(at: column) { Self.text($0.bindMemory(to: UInt8.self)) } ?? nil
  }

  /// Lends the bytes of a blob until the next step; nil for NULL.
  func withBlob<Value>(at column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    let base = sqlite3_column_blob(handle, column)
    return body(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// nil for NULL; a blob of no bytes is an empty array.
  func blob(at column: Int32) -> [UInt8]? {
    withBlob(at: column) { Array($0) }
  }
}
