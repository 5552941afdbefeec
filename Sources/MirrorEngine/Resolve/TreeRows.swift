// Walks what the state has below a tree's destination in step with the tree's listing: both are sorted by bytes, so one
// pass over each answers for every object, and nothing is held but a page of rows.

import MirrorPlan
import TransferModel

/// The recorded files of one tree.
struct TreeRows {
  /// The key of the tree, as rows name it.
  private let key: String
  private let store: StateStore
  /// Whether rows between the listed names matter; without pruning they are leapt over.
  private let visitsAll: Bool
  private var cursor: StateCursor
  private var ahead: StateRow?
  private var previous: String?
  /// Rows so far that mirror wrote for this tree.
  private(set) var owned = 0

  init(_ store: StateStore, key: String, destination: RelativePath?, visitsAll: Bool) {
    self.store = store
    self.key = key
    self.visitsAll = visitsAll
    cursor = store.rows(withPrefix: destination.map { $0.text + "/" } ?? "")
  }

  /// The row of a path; the paths of one walk rise byte by byte, and one that does not is asked for by itself. Rows of the
  /// tree that lie before it, and whose path was not asked for, are added to `passed`.
  mutating func row(at path: String, passing passed: inout [StateRow]) throws(TransferFailure) -> StateRow? {
    if let previous, !previous.utf8.lexicographicallyPrecedes(path.utf8) {
      return try (try? RelativePath(path)).flatMap { path throws(TransferFailure) in try store.row(for: path) }
    }
    previous = path
    if !visitsAll, ahead.map({ $0.destination.text.utf8.lexicographicallyPrecedes(path.utf8) }) ?? true {
      ahead = nil
      cursor.skip(to: path)
    }
    while let row = try peek() {
      if row.destination.text.utf8.elementsEqual(path.utf8) {
        take(row)
        return row
      }
      guard row.destination.text.utf8.lexicographicallyPrecedes(path.utf8) else { return nil }
      if take(row) { passed.append(row) }
    }
    return nil
  }

  /// The next row of the tree behind the last path that was asked for; nil at the end.
  mutating func rest() throws(TransferFailure) -> StateRow? {
    while let row = try peek() {
      if take(row) { return row }
    }
    return nil
  }

  private mutating func peek() throws(TransferFailure) -> StateRow? {
    if ahead == nil { ahead = try cursor.nextRow() }
    return ahead
  }

  @discardableResult
  private mutating func take(_ row: StateRow) -> Bool {
    ahead = nil
    guard let tree = row.tree, tree.utf8.elementsEqual(key.utf8) else { return false }
    owned += 1
    return true
  }
}
