// The tables of the state, and how older ones become these.

/// What a state database must look like, and the way there from every earlier version.
///
/// Version 0 is an empty file; step *n* leads from version *n* to version *n* + 1. A step, once released, is never
/// changed: a new layout is a new step.
struct StateSchema: Sendable {
  /// Stored in the file's header, so that a database of another program is told from ours: "mirr" in ASCII.
  static let applicationID: Int64 = 0x6D69_7272

  var steps: [String]

  var version: Int64 { Int64(steps.count) }

  static let current = StateSchema(steps: [version1, version2, version3])

  /// What to do with a file, from its header and the number of its tables.
  enum Verdict: Hashable {
    /// Nothing in it yet: all steps are to be run.
    case empty
    case current
    /// An older version of ours: the steps from this one on are to be run.
    case older(version: Int64)
    /// Written by a later version of this program.
    case newer(version: Int64)
    /// Another program's database.
    case foreign
  }

  /// | application id | version | tables | verdict |
  /// | --- | --- | --- | --- |
  /// | 0 | 0 | 0 | empty |
  /// | ours | 0 | 0 | empty |
  /// | ours | less than ours, not 0 | any | older |
  /// | ours | ours | 1 or more | current |
  /// | ours | more than ours | any | newer |
  /// | anything else | | | foreign |
  func verdict(applicationID: Int64, version: Int64, tables: Int64) -> Verdict {
    if tables == 0, version == 0, applicationID == 0 || applicationID == Self.applicationID { return .empty }
    guard applicationID == Self.applicationID, version > 0 else { return .foreign }
    if version > self.version { return .newer(version: version) }
    if version < self.version { return .older(version: version) }
    return tables > 0 ? .current : .foreign
  }

  func verdict(of connection: SQLiteConnection) throws(SQLiteError) -> Verdict {
    verdict(
      applicationID: try connection.integer("PRAGMA application_id") ?? 0,
      version: try connection.integer("PRAGMA user_version") ?? 0,
      tables: try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0)
  }

  /// Runs every step from `version` on, and then `fill`: all of them or none.
  func migrate(
    _ connection: SQLiteConnection, from version: Int64, fill: () throws(SQLiteError) -> Void = {}
  ) throws(SQLiteError) {
    try connection.transaction { () throws(SQLiteError) in
      for step in steps.dropFirst(Int(version)) { try connection.execute(step) }
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(self.version)")
      try fill()
    }
  }

  /// `files` has a row for every destination that was proven. Keys are blobs, so that SQLite orders them by their bytes.
  /// A `local_` digest is NULL when it is the stored one's equal, and of no bytes when there is none.
  private static let version1 = """
    CREATE TABLE files (
      path BLOB NOT NULL PRIMARY KEY,
      tree TEXT,
      source TEXT NOT NULL,
      generation INTEGER,
      etag TEXT,
      last_modified INTEGER,
      last_modified_ns INTEGER,
      stored_size INTEGER,
      crc32c BLOB, md5 BLOB, sha256 BLOB, sha512 BLOB,
      content_encoding TEXT,
      size INTEGER NOT NULL,
      mtime_ns INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      local_crc32c BLOB, local_md5 BLOB, local_sha256 BLOB, local_sha512 BLOB,
      content TEXT NOT NULL,
      proven INTEGER NOT NULL,
      proven_ns INTEGER NOT NULL,
      placeholder INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE parts (
      path BLOB NOT NULL PRIMARY KEY,
      temporary TEXT NOT NULL,
      source TEXT NOT NULL,
      validator TEXT NOT NULL,
      validator_text TEXT,
      validator_number INTEGER,
      validator_ns INTEGER,
      total INTEGER,
      bytes INTEGER NOT NULL,
      noted INTEGER NOT NULL,
      noted_ns INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE hosts (
      origin TEXT NOT NULL PRIMARY KEY,
      refuses_ranges INTEGER NOT NULL,
      noted INTEGER NOT NULL,
      noted_ns INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE runs (
      id TEXT NOT NULL PRIMARY KEY,
      started INTEGER NOT NULL,
      started_ns INTEGER NOT NULL,
      ended INTEGER,
      ended_ns INTEGER,
      exit INTEGER,
      transferred INTEGER NOT NULL,
      unchanged INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  /// `failures` has a row for every entry that failed in its last run; a listing that failed is its own tree.
  private static let version2 = """
    CREATE TABLE failures (
      place BLOB NOT NULL PRIMARY KEY,
      tree BLOB,
      source TEXT NOT NULL,
      reason TEXT NOT NULL,
      message TEXT NOT NULL,
      since INTEGER NOT NULL,
      since_ns INTEGER NOT NULL,
      last INTEGER NOT NULL,
      last_ns INTEGER NOT NULL,
      runs INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  /// `stretches` names what a part holds that was written at several places; NULL = all of it, to its end.
  private static let version3 = "ALTER TABLE parts ADD COLUMN stretches TEXT;"
}
