// Since when entries fail, over many runs: one row for each that failed in its last run.

package import TransferModel

/// An entry, or a tree's listing, that does not come through; kept until it does.
///
/// When it last came through is the row of the file itself (`RecordedFile.proven`): a file that fails is as old as that.
package struct FailureRecord: Hashable, Sendable {
  /// The destination; of an object whose name is refused, the name; of a listing that failed, the tree's key.
  package var place: String
  /// Names the tree that it came from; nil for an item.
  package var tree: String?
  /// Without secrets.
  package var source: String
  package var reason: ReasonCode
  package var message: String
  /// The first of the runs that failed one after the other.
  package var since: Timestamp
  /// The last of them.
  package var last: Timestamp
  /// How many they are.
  package var runs: Int64

  package init(
    place: String, tree: String? = nil, source: String, reason: ReasonCode, message: String, since: Timestamp,
    last: Timestamp, runs: Int64 = 1
  ) {
    self.place = place
    self.tree = tree
    self.source = source
    self.reason = reason
    self.message = message
    self.since = since
    self.last = last
    self.runs = runs
  }
}

/// Reads and writes `failures`. Belongs to its connection's thread.
struct FailureTable {
  private let connection: SQLiteConnection
  private let put, drop, page, one, settle: SQLiteStatement

  private static let columns = "place, tree, source, reason, message, since, since_ns, last, last_ns, runs"

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    put = try connection.prepare(
      """
      INSERT INTO failures (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (place) DO UPDATE SET tree = excluded.tree, source = excluded.source, reason = excluded.reason,
        message = excluded.message, last = excluded.last, last_ns = excluded.last_ns, runs = runs + 1
      """)
    drop = try connection.prepare("DELETE FROM failures WHERE place = ?")
    page = try connection.prepare("SELECT \(Self.columns) FROM failures WHERE place > ? ORDER BY place LIMIT ?")
    one = try connection.prepare("SELECT \(Self.columns) FROM failures WHERE place = ?")
    settle = try connection.prepare(
      "DELETE FROM failures WHERE (last < ?1 OR (last = ?1 AND last_ns < ?2)) AND (tree IS NULL OR tree NOT IN "
        + "(SELECT place FROM failures WHERE tree = place AND last = ?1 AND last_ns = ?2))")
  }

  func put(_ records: [FailureRecord]) throws(SQLiteError) {
    try connection.transaction { () throws(SQLiteError) in
      for record in records {
        put.bind(Array(record.place.utf8), at: 0)
        put.bind(record.tree.map { Array($0.utf8) }, at: 1)
        put.bind(record.source, at: 2)
        put.bind(record.reason.rawValue, at: 3)
        put.bind(record.message, at: 4)
        put.bind(record.since, at: 5)
        put.bind(record.last, at: 7)
        put.bind(record.runs, at: 9)
        try put.run()
      }
    }
  }

  func drop(_ places: [String]) throws(SQLiteError) {
    for place in places {
      drop.bind(Array(place.utf8), at: 0)
      try drop.run()
    }
  }

  /// Forgets what did not fail again in the run that began at `start`, but for entries of trees that could not be listed
  /// in it.
  func settle(_ start: Timestamp) throws(SQLiteError) {
    settle.bind(start, at: 0)
    try settle.run()
  }

  func one(at place: String) throws(SQLiteError) -> FailureRecord? {
    defer { one.reset() }
    one.bind(Array(place.utf8), at: 0)
    return try one.step() ? FailureRecord(reading: one) : nil
  }

  func page(after place: String, limit: Int) throws(SQLiteError) -> [FailureRecord] {
    defer { page.reset() }
    page.bind(Array(place.utf8), at: 0)
    page.bind(Int64(max(0, limit)), at: 1)
    var records: [FailureRecord] = []
    while try page.step() {
      if let record = FailureRecord(reading: page) { records.append(record) }
    }
    return records
  }

  func count() throws(SQLiteError) -> Int64 { try connection.integer("SELECT count(*) FROM failures") ?? 0 }
}

extension FailureRecord {
  /// nil when the row holds what this program never writes.
  fileprivate init?(reading statement: SQLiteStatement) {
    guard let place = statement.blob(at: 0).flatMap({ String(validating: $0, as: UTF8.self) }),
      let source = statement.text(at: 2), let word = statement.text(at: 3), let reason = ReasonCode(rawValue: word),
      let message = statement.text(at: 4), let since = statement.timestamp(at: 5),
      let last = statement.timestamp(at: 7), let runs = statement.integer(at: 9)
    else { return nil }
    self.init(
      place: place, tree: statement.blob(at: 1).flatMap { String(validating: $0, as: UTF8.self) }, source: source,
      reason: reason, message: message, since: since, last: last, runs: runs)
  }
}

extension StateStore {
  /// Notes failures of this run, one transaction. `since` and `runs` of one that is known already stay and count on.
  func noteFailures(_ records: [FailureRecord]) throws(TransferFailure) {
    guard !records.isEmpty else { return }
    try write { database throws(SQLiteError) in try database.failures.put(records) }
  }

  /// Ends the books of a run that came to its end and looked at everything.
  func settleFailures(of start: Timestamp) throws(TransferFailure) {
    try write { database throws(SQLiteError) in try database.failures.settle(start) }
  }

  /// Failures in byte order of their places, those after `place` first; for `mirror status`.
  package func failures(after place: String = "", limit: Int) throws(TransferFailure) -> [FailureRecord] {
    try read(orElse: []) { database throws(SQLiteError) in try database.failures.page(after: place, limit: limit) }
  }

  /// Since when the entry with that destination fails; nil when it does not.
  package func failure(at place: String) throws(TransferFailure) -> FailureRecord? {
    try read(orElse: nil) { database throws(SQLiteError) in try database.failures.one(at: place) }
  }

  package func failureCount() throws(TransferFailure) -> Int64 {
    try read(orElse: 0) { database throws(SQLiteError) in try database.failures.count() }
  }
}
