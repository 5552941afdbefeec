// A walk over the state in byte order, for merging with listings.

package import TransferModel

/// Gives rows one at a time and reads them by the page, so that memory stays flat and no transaction stays open.
///
/// Each page is read as the database is then: rows that are committed behind the cursor's place are not seen, rows
/// before it are. Rows that are queued and not committed are not seen at all; call `flush` first where that matters.
package struct StateCursor: Sendable {
  /// Rows a page; the database is held for about a millisecond each.
  static let pageSize = 512

  private let store: StateStore
  private let prefix: [UInt8]
  private var page = StateDatabase.Page()
  private var next = 0
  private var isAtEnd = false

  init(of store: StateStore, prefix: String) {
    self.store = store
    self.prefix = Array(prefix.utf8)
  }

  /// The next row; nil after the last one. Where the database turns out to be damaged the walk ends early: what lies
  /// beyond counts as unknown, so nothing is deleted and files are read again.
  package mutating func nextRow() throws(TransferFailure) -> StateRow? {
    while next == page.rows.count {
      if isAtEnd { return nil }
      let position = page.last
      page = try store.read(orElse: StateDatabase.Page()) { [prefix] database throws(SQLiteError) in
        try database.page(prefix: prefix, after: position, limit: Self.pageSize)
      }
      next = 0
      isAtEnd = page.last == nil
    }
    defer { next += 1 }
    return page.rows[next]
  }
}
