// All places that a verification looks at, in byte order: what the state, the lock file and the manifest name, and what is
// on the disk.

import LocalFiles
import MirrorPlan
import TransferModel

/// One place.
struct VerifyCandidate: Sendable {
  /// nil for a name that no object can have.
  var path: RelativePath?
  var display: String
  var row: StateRow?
  var locked: LockEntry?
  var item: Item?
  /// What the walk saw there; nil = the walk did not come by.
  var status: FileStatus?
  /// Why what is there could not be looked at.
  var failure: TransferFailure?
}

/// A merge of four streams in the same order; memory holds a page of rows and one directory a level. Used on one thread.
struct VerifyMerge {
  private var rows: StateCursor?
  private var row: StateRow?
  private let lock: LockFile?
  private var lockPlace = 0
  private var locked: LockEntry?
  private let items: [Item]
  private var itemPlace = 0
  private let walk: DirectoryWalk?
  private var entry: DirectoryWalk.Entry?

  init(state: StateStore?, lock: LockFile?, items: ItemList, walk: DirectoryWalk?) throws(TransferFailure) {
    rows = state?.rows()
    row = try rows?.nextRow()
    self.lock = lock
    locked = lock.flatMap { $0.count > 0 ? $0.entry(at: 0) : nil }
    self.items = items.sorted { $0.destination < $1.destination }
    self.walk = walk
  }

  /// The next place; nil at the end.
  mutating func next() throws(TransferFailure) -> VerifyCandidate? {
    if entry == nil, let unreadable = advanceWalk() { return unreadable }
    let item = itemPlace < items.count ? items[itemPlace] : nil
    let names = [
      row.map { Array($0.destination.text.utf8) }, locked.map { Array($0.destination.text.utf8) },
      item.map { Array($0.destination.text.utf8) }, entry?.bytes,
    ]
    guard let first = names.compactMap({ $0 }).min(by: { $0.lexicographicallyPrecedes($1) }) else { return nil }
    var candidate = VerifyCandidate(display: String(decoding: first, as: UTF8.self))
    if names[0] == first {
      candidate.row = row
      row = try rows?.nextRow()
    }
    if names[1] == first {
      candidate.locked = locked
      lockPlace += 1
      locked = lock.flatMap { lockPlace < $0.count ? $0.entry(at: lockPlace) : nil }
    }
    if names[2] == first {
      candidate.item = item
      itemPlace += 1
    }
    if names[3] == first {
      candidate.status = entry?.status
      candidate.path = entry?.path
      entry = nil
    }
    candidate.path =
      candidate.path ?? candidate.row?.destination ?? candidate.locked?.destination ?? candidate.item?.destination
    return candidate
  }

  /// Steps to the next name that is no directory; a directory that cannot be read is a place of its own.
  private mutating func advanceWalk() -> VerifyCandidate? {
    while let step = walk?.next() {
      switch step {
      case .entry(let found):
        guard found.status.kind != .directory else { continue }
        entry = found
        return nil
      case .unreadable(let path, let failure):
        return VerifyCandidate(display: path, failure: failure)
      }
    }
    return nil
  }
}
