// A shard's state and the whole root's, in SQL: what a shard begins with, and what becomes of what it has found out. When
// either is done, and to which files, is `ShardStates`.

import CSQLite
import MirrorPlan
import TransferModel

/// What is known of a shard's destinations, taken from the state of the whole root. Nothing writes to that one meanwhile.
struct StateSeed: Sendable {
  let whole: StateLocation
  let shard: Shard

  func attach(to connection: SQLiteConnection) throws(SQLiteError) {
    try connection.defineShards()
    try connection.attach(whole, readOnly: true)
  }

  /// The files, parts and failures of the shard, what is known of hosts, and how the last run ended.
  func fill(_ connection: SQLiteConnection) throws(SQLiteError) {
    for (table, key) in [("files", "path"), ("parts", "path"), ("failures", "place")] {
      try connection.execute(
        """
        INSERT INTO main.\(table) SELECT * FROM other.\(table)
        WHERE mirror_shard(\(key), \(shard.count)) = \(shard.index)
        """)
    }
    try connection.execute(
      """
      INSERT INTO main.hosts SELECT * FROM other.hosts;
      INSERT INTO main.runs SELECT * FROM other.runs ORDER BY started DESC, started_ns DESC, id DESC LIMIT 1;
      """)
  }

  func detach(from connection: SQLiteConnection) throws(SQLiteError) { try connection.execute("DETACH other") }
}

/// Brings what a shard has found out into the state of the whole root.
struct StateGathering {
  let from: StateLocation
  let shard: Shard

  /// All of it or nothing. Done twice, it does no more than once.
  ///
  /// Files are only ever added and replaced: no run of a shard deletes any, and a state that had to be made anew in between
  /// knows fewer than there are.
  func run(into connection: SQLiteConnection) throws(SQLiteError) {
    try connection.defineShards()
    try connection.attach(from, readOnly: false)
    // What is committed here is deleted there.
    try connection.execute("PRAGMA main.synchronous = FULL")
    defer {
      // Without a log nothing of the file lies anywhere else.
      try? connection.execute("PRAGMA main.synchronous = NORMAL; PRAGMA other.journal_mode = DELETE; DETACH other")
    }
    try connection.transaction { () throws(SQLiteError) in
      // A row that is recorded anew is proven anew, so that one proven at the same moment is the one that it began with.
      try connection.execute(
        """
        REPLACE INTO main.files SELECT * FROM other.files AS found
        WHERE NOT EXISTS (
          SELECT 1 FROM main.files AS known WHERE known.path = found.path
            AND known.proven = found.proven AND known.proven_ns = found.proven_ns)
        """)
      for (table, key) in [("parts", "path"), ("failures", "place")] {
        try connection.execute(
          """
          DELETE FROM main.\(table) WHERE mirror_shard(\(key), \(shard.count)) = \(shard.index);
          REPLACE INTO main.\(table) SELECT * FROM other.\(table);
          """)
      }
      try connection.execute(
        """
        INSERT INTO main.hosts SELECT * FROM other.hosts WHERE true
        ON CONFLICT (origin) DO UPDATE SET
          refuses_ranges = excluded.refuses_ranges, noted = excluded.noted, noted_ns = excluded.noted_ns
        WHERE excluded.noted > noted;
        REPLACE INTO main.runs SELECT * FROM other.runs;
        """)
    }
  }
}

extension SQLiteConnection {
  /// Attaches a state as `other`.
  fileprivate func attach(_ location: StateLocation, readOnly: Bool) throws(SQLiteError) {
    let uri = Self.uri(location.file, access: .read) + (readOnly ? "?mode=ro" : "?mode=rw")
    // The escaped URI has no quotation mark.
    try execute("ATTACH '\(uri)' AS other")
  }

  /// Defines the SQL function `mirror_shard(destination, count)`: the number of the shard that the destination belongs to.
  fileprivate func defineShards() throws(SQLiteError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = sqlite3_create_function_v2(
      handle, "mirror_shard", 2, flags, nil,
      { context, _, arguments in
        guard let arguments, let value = arguments[0], let count = arguments[1] else {
          return sqlite3_result_null(context)
        }
        let bytes = UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
        let shards = max(1, min(Int(sqlite3_value_int64(count)), Shard.most))
        sqlite3_result_int64(context, Int64(Shard.index(of: bytes, among: shards)))
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }
}
