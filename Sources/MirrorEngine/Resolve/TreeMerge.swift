// One ordered pass over a tree's objects and its recorded files: which file belongs to which object, and which have none.

import MirrorPlan
import TransferModel

/// The two streams of one tree, side by side. Memory holds a page of rows and a few hundred notes, whatever their number.
struct TreeMerge {
  /// Notes that are written together.
  private static let noteCount = 512

  private(set) var inventory: EntryInventory
  private let state: StateStore?
  private let number: Int
  private let prunes: Bool
  private let prefixLength: Int
  /// The destination with a slash; empty = the root.
  private let folder: String
  private var rows: TreeRows?
  /// What went wrong with the rows; they are asked for one by one from then on, and nothing is noted.
  private var failure: TransferFailure?
  private var passed: [StateRow] = []
  private var notes: [GoneFile] = []
  /// Folders that an object stands for and that the present name lies in, outermost first.
  private var markers: [String] = []

  var owned: Int { rows?.owned ?? 0 }

  init(_ lister: TreeLister) {
    let filter = TreeFilter(lister.tree)
    inventory = EntryInventory(tree: lister.tree, claims: lister.claims, isIncluded: { filter.includes($0) })
    (state, number, prunes) = (lister.state, lister.number, lister.prunes)
    let prefix = lister.tree.prefix.object?.text ?? ""
    prefixLength = prefix.utf8.count + (prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? 0 : 1)
    folder = lister.tree.destination.map { $0.text + "/" } ?? ""
    guard let state else { return }
    // Rows that wait in the queue are not seen by a walk.
    do throws(TransferFailure) { if state.access == .write { try state.flush() } } catch { failure = error }
    rows = TreeRows(state, key: lister.key, destination: lister.tree.destination, visitsAll: lister.prunes)
  }

  mutating func take(_ object: ListedObject) -> TreeLister.Listed {
    let admission = inventory.admit(object)
    let path: String
    switch admission {
    case .entry(let entry, _): path = entry.destination.text
    case .heldByItem(let destination): path = destination.text
    case .folder, .filtered, .refused:
      path = folder + String(Substring(object.name.text.utf8.dropFirst(prefixLength)))
    }
    let row = row(at: path)
    if case .folder(let marked?) = admission {
      leaveMarkers(notAbove: marked.text)
      markers.append(marked.text)
    }
    return TreeLister.Listed(admission: admission, row: row, hasLookedUp: failure == nil)
  }

  /// Notes what lies behind the last object.
  /// - Throws: what went wrong with the rows on the way: then it is not known what is gone.
  mutating func finish() throws(TransferFailure) {
    guard prunes else { return }
    while failure == nil, let row = rest() { note(row) }
    writeNotes()
    if let failure { throw failure }
  }

  // MARK: Rows

  private mutating func row(at path: String) -> StateRow? {
    guard failure == nil else { return nil }
    do throws(TransferFailure) {
      let row = try rows?.row(at: path, passing: &passed)
      if !passed.isEmpty {
        for row in passed { note(row) }
        passed.removeAll(keepingCapacity: true)
      }
      return row
    } catch {
      failure = error
      return nil
    }
  }

  private mutating func rest() -> StateRow? {
    do throws(TransferFailure) { return try rows?.rest() } catch {
      failure = error
      return nil
    }
  }

  // MARK: What is gone

  private mutating func note(_ row: StateRow) {
    guard prunes, !inventory.claims.isItem(row.destination) else { return }
    leaveMarkers(notAbove: row.destination.text)
    let floor = max(markers.last?.utf8.count ?? 0, folder.utf8.count - 1, 0)
    notes.append(GoneFile(destination: row.destination, floor: floor))
    if notes.count >= Self.noteCount { writeNotes() }
  }

  private mutating func leaveMarkers(notAbove path: String) {
    while let marker = markers.last, !Self.contains(marker, path.utf8) { markers.removeLast() }
  }

  private static func contains(_ folder: String, _ path: String.UTF8View) -> Bool {
    path.starts(with: folder.utf8) && path.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
  }

  private mutating func writeNotes() {
    do throws(TransferFailure) { try state?.noteGone(notes, tree: number) } catch { failure = failure ?? error }
    notes.removeAll(keepingCapacity: true)
  }
}
