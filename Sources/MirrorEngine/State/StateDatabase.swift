// The state's tables on one connection: what is asked of them and what is written. Opening and repairing them is
// `StateDatabase+Opening.swift`; sharing them between threads is `StateStore`.

import MirrorPlan
import TransferModel

/// The rows of one state file. Not `Sendable`: at most one thread at a time.
///
/// Every statement is prepared when the database is opened, so a file whose tables lack a column is found out there.
final class StateDatabase {
  let connection: SQLiteConnection
  private let select: SQLiteStatement
  private let page: SQLiteStatement
  private let replace: SQLiteStatement
  private let delete: SQLiteStatement
  /// From one key to another, both included, in byte order; for `rows(for:)`.
  let stretch: SQLiteStatement
  let sideTables: SideTables
  let failures: FailureTable
  let gone: GoneTable

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    select = try connection.prepare("SELECT \(StateRow.columns) FROM files WHERE path = ?")
    page = try connection.prepare(
      "SELECT \(StateRow.columns) FROM files WHERE path >= ? AND path < ? ORDER BY path LIMIT ?")
    replace = try connection.prepare(
      "REPLACE INTO files (\(StateRow.columns)) VALUES (\(StateRow.placeholders))")
    delete = try connection.prepare("DELETE FROM files WHERE path = ?")
    stretch = try connection.prepare(
      "SELECT \(StateRow.columns) FROM files WHERE path >= ? AND path <= ? ORDER BY path")
    sideTables = try SideTables(connection)
    failures = try FailureTable(connection)
    gone = try GoneTable(connection)
  }

  func row(for destination: RelativePath) throws(SQLiteError) -> StateRow? {
    defer { select.reset() }
    select.bind(bytesOf: destination.text, at: 0)
    return try select.step() ? StateRow(reading: select) : nil
  }

  /// A stretch of rows in byte order. `last` is the last key seen, whether or not its row could be read; nil when the
  /// stretch is the final one.
  struct Page: Sendable {
    var rows: [StateRow] = []
    var last: [UInt8]?
  }

  /// Up to `limit` rows from the key `start` on, all of whose keys begin with `prefix`.
  func page(prefix: [UInt8], from start: [UInt8], limit: Int) throws(SQLiteError) -> Page {
    defer { page.reset() }
    page.bind(start, at: 0)
    page.bind(Self.end(ofPrefix: prefix), at: 1)
    page.bind(Int64(limit), at: 2)
    var result = Page()
    result.rows.reserveCapacity(limit)
    var count = 0
    while try page.step() {
      count += 1
      if let row = StateRow(reading: page) { result.rows.append(row) }
      if count == limit { result.last = page.blob(at: 0) }
    }
    return result
  }

  /// The least byte string that is greater than every UTF-8 text beginning with `prefix`, itself UTF-8. No byte of
  /// UTF-8 is 0xFF, so the last one can always be raised.
  static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
    guard let last = prefix.last else { return [0xFF] }
    return prefix.dropLast() + [last + 1]
  }

  func rowCount() throws(SQLiteError) -> Int64 {
    try connection.integer("SELECT count(*) FROM files") ?? 0
  }

  /// Writes a batch in one transaction.
  func commit(_ changes: StateChanges) throws(SQLiteError) {
    try connection.checkInPlace()
    try connection.transaction { () throws(SQLiteError) in
      for (destination, row) in changes.rows {
        if let row {
          row.bind(to: replace)
          try replace.run()
        } else {
          delete.bind(bytesOf: destination.text, at: 0)
          try delete.run()
        }
      }
    }
  }
}

/// What waits to be written: the last word on each destination, nil for a row that is to go.
struct StateChanges: Sendable {
  var rows: [RelativePath: StateRow?]

  init(capacity: Int = 0) {
    rows = Dictionary(minimumCapacity: min(capacity, 4_096))
  }

  var isEmpty: Bool { rows.isEmpty }
  var count: Int { rows.count }

  mutating func put(_ row: StateRow) { rows[row.destination] = .some(row) }
  mutating func drop(_ destination: RelativePath) { rows[destination] = .some(nil) }

  /// These changes with later ones over them.
  func overlaid(by later: StateChanges) -> StateChanges {
    var result = self
    result.rows.merge(later.rows) { _, new in new }
    return result
  }
}
