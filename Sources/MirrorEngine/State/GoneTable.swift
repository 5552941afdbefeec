// Files that a tree's listing did not have, noted while it was read: they wait for the listing to be proven, and memory
// must not grow with their number, so they wait in a temporary table of SQLite's.

import TransferModel

/// One file of a tree that is no longer among its objects.
struct GoneFile: Hashable, Sendable {
  var destination: RelativePath
  /// Folders whose path is no longer than this, in bytes, stay though they become empty.
  var floor: Int
}

/// Reads and writes the table. It lives as long as its connection: where a damaged database is replaced in the middle of a
/// run nothing is noted any more, so nothing is deleted. Belongs to its connection's thread.
struct GoneTable {
  private let connection: SQLiteConnection
  private let put, page, pageBackwards, one, count, clear: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS gone (
        tree INTEGER NOT NULL,
        path BLOB NOT NULL,
        floor INTEGER NOT NULL,
        PRIMARY KEY (tree, path)
      ) WITHOUT ROWID;
      """)
    put = try connection.prepare("REPLACE INTO temp.gone (tree, path, floor) VALUES (?, ?, ?)")
    page = try connection.prepare(
      "SELECT path, floor FROM temp.gone WHERE tree = ? AND path > ? ORDER BY path LIMIT ?")
    pageBackwards = try connection.prepare(
      "SELECT path, floor FROM temp.gone WHERE tree = ? AND path < ? ORDER BY path DESC LIMIT ?")
    one = try connection.prepare("SELECT 1 FROM temp.gone WHERE tree = ? AND path = ?")
    count = try connection.prepare("SELECT count(*) FROM temp.gone WHERE tree = ?")
    clear = try connection.prepare("DELETE FROM temp.gone WHERE tree = ?")
  }

  func put(_ files: [GoneFile], tree: Int) throws(SQLiteError) {
    try connection.execute("SAVEPOINT gone")
    do {
      for file in files {
        put.bind(Int64(tree), at: 0)
        put.bind(Array(file.destination.text.utf8), at: 1)
        put.bind(Int64(file.floor), at: 2)
        try put.run()
      }
      try connection.execute("RELEASE gone")
    } catch {
      // The error that counts is the first; this one may fail because SQLite has rolled back by itself.
      try? connection.execute("ROLLBACK TO gone; RELEASE gone")
      throw error
    }
  }

  func count(tree: Int) throws(SQLiteError) -> Int {
    defer { count.reset() }
    count.bind(Int64(tree), at: 0)
    return try count.step() ? Int(count.integer(at: 0) ?? 0) : 0
  }

  /// Up to `limit` files in byte order after `position`; backwards those before it, nil = from the end.
  func page(tree: Int, after position: [UInt8]?, backwards: Bool, limit: Int) throws(SQLiteError) -> [GoneFile] {
    let statement = backwards ? pageBackwards : page
    defer { statement.reset() }
    statement.bind(Int64(tree), at: 0)
    // 0xFF is in no UTF-8, so it comes after every path.
    statement.bind(position ?? (backwards ? [0xFF] : []), at: 1)
    statement.bind(Int64(limit), at: 2)
    var files: [GoneFile] = []
    while try statement.step() {
      guard let bytes = statement.blob(at: 0), let text = String(validating: bytes, as: UTF8.self),
        let destination = try? RelativePath(text), let floor = statement.integer(at: 1)
      else { continue }
      files.append(GoneFile(destination: destination, floor: Int(floor)))
    }
    return files
  }

  func contains(_ destination: RelativePath, tree: Int) throws(SQLiteError) -> Bool {
    defer { one.reset() }
    one.bind(Int64(tree), at: 0)
    one.bind(Array(destination.text.utf8), at: 1)
    return try one.step()
  }

  func clear(tree: Int) throws(SQLiteError) {
    clear.bind(Int64(tree), at: 0)
    try clear.run()
  }
}

extension StateStore {
  /// Notes files of the tree with that number in the manifest; gone again when the store is closed.
  func noteGone(_ files: [GoneFile], tree: Int) throws(TransferFailure) {
    guard !files.isEmpty else { return }
    try read(orElse: ()) { database throws(SQLiteError) in try database.gone.put(files, tree: tree) }
  }

  func goneCount(tree: Int) throws(TransferFailure) -> Int {
    try read(orElse: 0) { database throws(SQLiteError) in try database.gone.count(tree: tree) }
  }

  /// A page of what was noted, in byte order; the last first when `backwards`. Empty at the end.
  func gone(
    tree: Int, after position: RelativePath?, backwards: Bool = false, limit: Int
  ) throws(TransferFailure) -> [GoneFile] {
    try read(orElse: []) { database throws(SQLiteError) in
      try database.gone.page(
        tree: tree, after: position.map { Array($0.text.utf8) }, backwards: backwards, limit: limit)
    }
  }

  func isGone(_ destination: RelativePath, tree: Int) throws(TransferFailure) -> Bool {
    try read(orElse: false) { database throws(SQLiteError) in try database.gone.contains(destination, tree: tree) }
  }

  func forgetGone(tree: Int) throws(TransferFailure) {
    try read(orElse: ()) { database throws(SQLiteError) in try database.gone.clear(tree: tree) }
  }
}
