// One prepared statement: values in, rows out.

import CSQLite
import TransferModel

/// A statement that is prepared once and run many times. Belongs to its connection's thread.
///
/// Parameters and columns both count from 0 here (SQLite itself counts parameters from 1). Values are bound for one run:
/// after `reset` every parameter is NULL again. One that could not be bound is remembered and thrown by the next `step`.
final class SQLiteStatement {
  private let handle: OpaquePointer
  // Keeps the connection open for as long as the statement lives.
  private let connection: SQLiteConnection
  private var bindFailure: Int32 = SQLITE_OK
  private var isBound = false
  /// Copies of the bytes that are bound, until `reset`: SQLite's own copies would be one allocation for each value.
  private var room: UnsafeMutableRawBufferPointer?
  private var roomUsed = 0
  private static let roomSize = 2_048

  init(_ handle: OpaquePointer, in connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
    room?.deallocate()
  }

  // MARK: Values in

  func bind(_ value: Int64?, at index: Int32) {
    guard let value else { return }
    note(sqlite3_bind_int64(handle, index + 1, value))
  }

  func bind(_ text: String?, at index: Int32) {
    guard var text else { return }
    let code = text.withUTF8 { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return sqlite3_bind_text(handle, index + 1, "", 0, nil) }
      let (kept, destructor) = keep(UnsafeRawBufferPointer(bytes), base)
      return sqlite3_bind_text(
        handle, index + 1, kept.assumingMemoryBound(to: CChar.self), Int32(bytes.count), destructor)
    }
    note(code)
  }

  func bind(_ bytes: [UInt8]?, at index: Int32) {
    guard let bytes else { return }
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
    let (kept, destructor) = keep(bytes, base)
    note(sqlite3_bind_blob(handle, index + 1, kept, Int32(bytes.count), destructor))
  }

  func bind(_ digest: Digest?, at index: Int32) {
    guard let digest else { return }
    digest.withUnsafeBytes { bind($0, at: index) }
  }

  private func note(_ code: Int32) {
    isBound = true
    if bindFailure == SQLITE_OK { bindFailure = code }
  }

  /// Where the bytes stay until `reset`; what finds no room any more is for SQLite to copy.
  private func keep(
    _ bytes: UnsafeRawBufferPointer, _ base: UnsafeRawPointer
  ) -> (UnsafeRawPointer, sqlite3_destructor_type?) {
    let room = room ?? .allocate(byteCount: Self.roomSize, alignment: 1)
    self.room = room
    guard let start = room.baseAddress, bytes.count <= room.count - roomUsed else {
      return (base, mirror_sqlite_transient())
    }
    let place = start + roomUsed
    place.copyMemory(from: base, byteCount: bytes.count)
    roomUsed += bytes.count
    return (UnsafeRawPointer(place), nil)
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

  /// Ends a run, frees the locks it holds and unbinds all values.
  func reset() {
    // The code it returns is that of the last step, which has been thrown already.
    sqlite3_reset(handle)
    bindFailure = SQLITE_OK
    guard isBound else { return }
    sqlite3_clear_bindings(handle)
    isBound = false
    roomUsed = 0
  }

  // MARK: Rows out

  func integer(at column: Int32) -> Int64? {
    // The value is asked for once; each of the calls by column would look for it again.
    let value = sqlite3_column_value(handle, column)
    return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
  }

  /// nil for NULL and for bytes that are not UTF-8.
  func text(at column: Int32) -> String? {
    let value = sqlite3_column_value(handle, column)
    guard let base = sqlite3_value_text(value) else { return nil }
    return Self.text(UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value))))
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
    let value = sqlite3_column_value(handle, column)
    guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    let base = sqlite3_value_blob(value)
    return body(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(value))))
  }

  /// nil for NULL; a blob of no bytes is an empty array.
  func blob(at column: Int32) -> [UInt8]? {
    withBlob(at: column) { Array($0) }
  }
}
