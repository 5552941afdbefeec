// Parent directories kept open, so that a file costs no walk down its path and a directory is made once.

import Glibc
package import TransferModel

/// Descriptors of the directories used lately, by path below one root.
///
/// Sendable: a `Lock` guards the table, never a system call. Two threads that miss at once both open the directory,
/// and one of the two descriptors closes again. A directory stays open as long as someone holds it, whatever the table
/// forgets.
package final class DirectoryCache: Sendable {
  package let root: RootDirectory
  private let table: Lock<Table>

  /// - capacity: how many descriptors are kept, 1 or more; default 256.
  package init(_ root: RootDirectory, capacity: Int = 256) {
    self.root = root
    table = Lock(Table(capacity: max(1, capacity)))
  }

  /// The directory that a file lies in; nil when it or one above it is missing.
  ///
  /// Throws `symlink_refused` or `not_a_directory` where a component is no plain directory.
  package func parent(of path: RelativePath) throws(TransferFailure) -> Directory? {
    try directory(path.parentText ?? "")
  }

  /// The directory that a file lies in, made with those above it when missing, mode 0777 less the umask.
  ///
  /// Throws as `parent(of:)`.
  package func makeParent(of path: RelativePath) throws(TransferFailure) -> Directory {
    try madeDirectory(path.parentText ?? "")
  }

  /// A directory by its path below the root, empty for the root itself; nil when it is missing.
  func directory(_ path: String) throws(TransferFailure) -> Directory? {
    do {
      return try find(path, creating: false)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error.failure
    }
  }

  func madeDirectory(_ path: String) throws(TransferFailure) -> Directory {
    do {
      return try find(path, creating: true)
    } catch {
      throw error.failure
    }
  }

  private func find(_ path: String, creating: Bool) throws(SystemError) -> Directory {
    let key = Key(text: path)
    if let known = table.withLock({ $0.find(key) }) { return known }
    let opened: Directory
    do {
      opened = try root.openDirectory(path)
    } catch {
      guard creating, error.errno == ENOENT, !path.isEmpty else { throw error }
      opened = try make(path)
    }
    table.withLock { $0.insert(opened, key) }
    return opened
  }

  private func make(_ path: String) throws(SystemError) -> Directory {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    let parent = try find(slash.map { String(path[..<$0]) } ?? "", creating: true)
    do {
      try SystemCall.makeDirectory(at: parent.number, name)
    } catch {
      if error.errno != EEXIST { throw error.at(path) }
    }
    return try root.open(name, in: parent)
  }

  /// Makes sure that the directory is there; for markers of empty directories (R06).
  package func makeDirectory(_ path: RelativePath) throws(TransferFailure) {
    _ = try madeDirectory(path.text)
  }

  /// What stands at a path, or nil. A link at the final name is seen as such, never followed.
  ///
  /// Throws `symlink_refused` or `not_a_directory` where a component above is no plain directory.
  package func survey(_ path: RelativePath) throws(TransferFailure) -> FileStatus? {
    guard let parent = try parent(of: path) else { return nil }
    do {
      return try SystemCall.status(at: parent.number, path.name)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error.at(path.text).failure
    }
  }

  /// Closes what is known of a directory and of all below it; for after it was removed or replaced.
  package func forget(_ path: String) {
    table.withLock { $0.remove(below: path) }
  }
}

/// A path as a key that is compared by its bytes.
private struct Key: ByteOrdered, Sendable {
  let text: String
}

/// The pure part: which directories are known, and which goes first when there are too many.
private struct Table: Sendable {
  private struct Slot {
    var directory: Directory
    var lastUse: UInt64
  }

  let capacity: Int
  private var slots: [Key: Slot] = [:]
  private var clock: UInt64 = 0
  /// The one that was found last: files come folder by folder.
  private var latest: (key: Key, directory: Directory)?

  init(capacity: Int) { self.capacity = capacity }

  mutating func find(_ key: Key) -> Directory? {
    if let latest, latest.key == key { return latest.directory }
    guard let index = slots.index(forKey: key) else { return nil }
    clock += 1
    slots.values[index].lastUse = clock
    let directory = slots.values[index].directory
    latest = (key, directory)
    return directory
  }

  mutating func insert(_ directory: Directory, _ key: Key) {
    clock += 1
    slots[key] = Slot(directory: directory, lastUse: clock)
    guard slots.count > capacity else { return }
    // A quarter at once, so that the sort is paid for by many insertions.
    let excess = slots.count - capacity + capacity / 4
    for (key, _) in slots.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(excess) {
      slots[key] = nil
    }
  }

  mutating func remove(below path: String) {
    latest = nil
    let bytes = Array(path.utf8)
    slots = slots.filter { key, _ in
      let text = key.text.utf8
      guard !bytes.isEmpty, text.starts(with: bytes) else { return !bytes.isEmpty }
      let rest = text.dropFirst(bytes.count)
      return !(rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }
  }
}
