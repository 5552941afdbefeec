// A walk over the state in byte order, for merging with listings.

package import TransferModel

/// Gives rows one at a time and reads them by the page, so that memory stays flat and no transaction stays open.
///
/// Each page is read as the database is then: rows that are committed behind the cursor's place are not seen, rows
/// before it are. Rows that are queued and not committed are not seen at all; call `flush` first where that matters.
package struct StateCursor: Sendable {
  /// Rows a page at most; the database is held for about a millisecond each.
  static let pageSize = 512
  /// Rows of the first page after a leap: near leaps follow each other where few rows are wanted of many.
  private static let firstPage = 32

  private let store: StateStore
  private let prefix: [UInt8]
  private var page = StateDatabase.Page()
  private var next = 0
  /// The key that the next page begins at.
  private var start: [UInt8]
  private var limit = pageSize
  private var isAtEnd = false

  init(of store: StateStore, prefix: String) {
    self.store = store
    self.prefix = Array(prefix.utf8)
    start = self.prefix
  }

  /// The next row; nil after the last one. Where the database turns out to be damaged the walk ends early: what lies
  /// beyond counts as unknown, so nothing is deleted and files are read again.
  package mutating func nextRow() throws(TransferFailure) -> StateRow? {
    while next == page.rows.count {
      if isAtEnd { return nil }
      page = try store.read(orElse: StateDatabase.Page()) { [prefix, start, limit] database throws(SQLiteError) in
        try database.page(prefix: prefix, from: start, limit: limit)
      }
      next = 0
      limit = min(limit * 4, Self.pageSize)
      // The least key after the last one is the same with a byte 0 behind it.
      if let last = page.last { start = last + [0] } else { isAtEnd = true }
    }
    defer { next += 1 }
    return page.rows[next]
  }

  /// Leaps over the rows before `path`, without reading those that lie beyond the page at hand. Never goes back.
  package mutating func skip(to path: String) {
    while next < page.rows.count {
      guard page.rows[next].destination.text.utf8.lexicographicallyPrecedes(path.utf8) else { return }
      next += 1
    }
    guard !isAtEnd, start.lexicographicallyPrecedes(path.utf8) else { return }
    start = Array(path.utf8)
    limit = Self.firstPage
  }
}
