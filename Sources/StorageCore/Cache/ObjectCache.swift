// Objects kept in a folder, so that they need not be downloaded again: bytes and files. The library's face of it is
// `CloudStorage.StorageCache`.

import LocalFiles
package import TransferModel

/// A folder of cached objects, bounded by size and age.
///
/// Every object is one file, put in place as a whole and checked when it is read: one that is damaged counts as absent and
/// is removed. Several processes may use one folder. The methods read and write files, so call them where that may block;
/// from any thread.
package final class ObjectCache: Sendable {
  /// How much is kept, and for how long.
  package struct Limits: Hashable, Sendable {
    /// Bytes of all files together. When it is exceeded, the oldest files go until three quarters are left.
    package var size: Int64
    /// How long after it was stored an object is used.
    package var age: Duration

    package init(size: Int64, age: Duration) {
      self.size = max(0, size)
      self.age = max(.zero, age)
    }
  }

  /// One object in the cache.
  package struct Entry: Hashable, Sendable {
    package let key: String
    /// Bytes of the file.
    package let size: Int64
    /// The version of the object; nil when the server named none.
    package let generation: Int64?
    /// In seconds since 1970.
    package let storedAt: Int64
    let fileName: RelativePath
  }

  /// What was found under a key.
  package struct Hit: Hashable, Sendable {
    package let bytes: [UInt8]
    package let generation: Int64?
  }

  /// What a removal did.
  package struct Removal: Hashable, Sendable {
    package var count = 0
    /// Bytes of the removed files.
    package var bytes: Int64 = 0
    /// Files that were to go and are still there: the folder cannot be written, most likely.
    package var failures = 0
  }

  /// The folder, as it was given.
  package let path: String
  package let limits: Limits
  private let clocks: any Clocks
  /// Bytes of all files, as far as is known; nil = not counted yet.
  private let knownSize = Lock<Int64?>(nil)

  /// A cache in that folder, which is made when the first object is stored.
  package init(path: String, limits: Limits, clocks: any Clocks) {
    self.path = path
    self.limits = limits
    self.clocks = clocks
  }

  private var now: Int64 { clocks.utc().seconds }
}

// MARK: - Single objects

extension ObjectCache {
  /// The object under that key; nil when there is none that is whole and young enough.
  package func object(for key: String) -> Hit? {
    guard let name = Self.fileName(key), let bytes = try? WholeFile.read("\(path)/\(name)", limit: ByteCount(.max))
    else { return nil }
    guard let record = CacheRecord(parsing: bytes), record.head.key.utf8.elementsEqual(key.utf8),
      !isTooOld(record.head.storedAt)
    else {
      delete(name, Int64(bytes.count))
      return nil
    }
    return Hit(bytes: record.bytes, generation: record.head.generation)
  }

  /// Stores an object in place of the one under that key. An object larger than the whole cache is not stored.
  ///
  /// Throws what making the folder and writing the file throw.
  package func store(_ bytes: [UInt8], generation: Int64?, for key: String) throws(TransferFailure) {
    let file = CacheRecord(key: key, bytes: bytes, generation: generation, storedAt: now).encoded
    guard Int64(file.count) <= limits.size, key.utf8.count <= CacheRecord.longestKey, let name = Self.fileName(key)
    else { return }
    try write(file, to: name)
    let size = knownSize.withLock { size in
      size = size.map { $0 + Int64(file.count) }
      return size
    }
    if size ?? countAll() > limits.size { _ = prune() }
  }

  /// Removes what is under that key; nothing happens when there is nothing.
  package func remove(_ key: String) {
    if let name = Self.fileName(key) { delete(name, 0) }
  }

  /// Under 64 KiB a file is written in one go; a larger one is continued by nobody, so its part goes when it fails. Private
  /// objects may be in it, so it is its owner's alone.
  private func write(_ bytes: [UInt8], to name: RelativePath) throws(TransferFailure) {
    let directories = DirectoryCache(try RootDirectory(opening: path, creating: true), capacity: 1)
    var options = PartialFile.Options()
    options.mode = 0o600
    let file = try PartialFile(name, in: directories, digest: try StreamingDigest([]), options: options)
    do throws(TransferFailure) {
      try bytes.withUnsafeBufferPointer { buffer throws(TransferFailure) in
        try file.write(UnsafeRawBufferPointer(buffer))
      }
      try file.commit(modified: nil)
    } catch {
      file.discard()
      throw error
    }
  }

  /// A file may say any time at all, so that the difference need not fit.
  private func isTooOld(_ storedAt: Int64) -> Bool { Double(now) - Double(storedAt) > limits.age.inSeconds }

  private static let suffix = ".object"

  /// Keys are longer than file names may be, so the name is made of the key's sha256; the key itself is in the file.
  private static func fileName(_ key: String) -> RelativePath? {
    let digest = try? StreamingDigest.digests(of: key.utf8, [.sha256]).sha256
    return try? RelativePath((digest?.hex ?? PercentEncoding.encode(String(key.suffix(80)))) + suffix)
  }
}

// MARK: - All objects

extension ObjectCache {
  /// All objects, oldest first. Files that are none of ours are passed over; a missing folder has none.
  package func entries() -> [Entry] {
    guard let root = try? RootDirectory(opening: path), let walk = try? DirectoryWalk(root) else { return [] }
    var entries: [Entry] = []
    while let step = walk.next() {
      walk.skipContent()
      if case .entry(let found) = step, let entry = entry(found) { entries.append(entry) }
    }
    return entries.sorted { ($0.storedAt, $0.fileName) < ($1.storedAt, $1.fileName) }
  }

  /// Bytes of all objects' files together.
  package var size: Int64 { entries().reduce(0) { $0 + $1.size } }

  /// Removes what is too old, then the oldest files while they are together too large; nil = as `limits` says. What broken
  /// runs left unfinished goes, too.
  package func prune(age: Duration? = nil, size: Int64? = nil) -> Removal {
    let oldest = now - Int64((age ?? limits.age).inSeconds)
    var removal = Removal()
    var left: [Entry] = []
    for entry in entries() {
      if entry.storedAt < oldest { remove(entry, &removal) } else { left.append(entry) }
    }
    var total = left.reduce(0) { $0 + $1.size }
    // Not down to the limit only, or the next object would have it all looked through again.
    let target = size ?? (total > limits.size ? limits.size / 4 * 3 : limits.size)
    for entry in left where total > target {
      total -= entry.size
      remove(entry, &removal)
    }
    knownSize.withLock { $0 = total }
    sweep()
    return removal
  }

  /// Removes all objects. The folder stays, with whatever else is in it.
  package func clear() -> Removal {
    var removal = Removal()
    for entry in entries() { remove(entry, &removal) }
    knownSize.withLock { $0 = 0 }
    sweep()
    return removal
  }

  /// Only a plain file is opened: opening a pipe would wait for whoever writes to it.
  private func entry(_ found: DirectoryWalk.Entry) -> Entry? {
    guard found.status.kind == .file, let name = found.path, name.text.hasSuffix(Self.suffix),
      let start = try? WholeFile.readBeginning("\(path)/\(name)", CacheRecord.headSize + CacheRecord.longestKey),
      let head = CacheRecord.parseHead(start[...])
    else { return nil }
    return Entry(
      key: head.key, size: found.status.stamp.size, generation: head.generation, storedAt: head.storedAt, fileName: name
    )
  }

  private func countAll() -> Int64 {
    let size = size
    knownSize.withLock { $0 = size }
    return size
  }

  private func remove(_ entry: Entry, _ removal: inout Removal) {
    switch delete(entry.fileName, entry.size) {
    case .removed:
      removal.count += 1
      removal.bytes += entry.size
    case .failed: removal.failures += 1
    case .missing: break
    }
  }

  private enum Deletion {
    case removed, missing, failed
  }

  @discardableResult
  private func delete(_ name: RelativePath, _ size: Int64) -> Deletion {
    do {
      let directories = DirectoryCache(try RootDirectory(opening: path), capacity: 1)
      guard try directories.remove(name, expecting: nil) else { return .missing }
    } catch {
      return .failed
    }
    knownSize.withLock { $0 = $0.map { max(0, $0 - size) } }
    return .removed
  }

  private func sweep() {
    guard let root = try? RootDirectory(opening: path) else { return }
    let before = Timestamp(seconds: now - 3_600)
    _ = Sweep(DirectoryCache(root, capacity: 1), before: before, keeping: { _ in false }).run(in: [""])
  }
}

// MARK: - Looking after a cache

extension ObjectCache {
  /// The cache in a folder that is there already. It has no limits of its own, so `prune` removes what it is told to and
  /// nothing else.
  ///
  /// A folder is taken for a cache when it is empty or holds an object of one: what else lies in a folder that a slip of the
  /// hand named is never looked after. Throws a failure of class `local` when there is no such folder or it cannot be read,
  /// `unexpectedContent` when it is none.
  package static func existing(path: String, clocks: any Clocks) throws(TransferFailure) -> ObjectCache {
    let isEmpty: Bool
    do {
      isEmpty = try DirectoryWalk(try RootDirectory(opening: path)).next() == nil
    } catch {
      var failure = error
      if failure.reason != .permissionDenied { failure.hint = hint }
      throw failure
    }
    let cache = ObjectCache(path: path, limits: Limits(size: .max, age: .seconds(1 << 40)), clocks: clocks)
    guard isEmpty || !cache.entries().isEmpty else {
      throw TransferFailure(
        .unexpectedContent, .permanent, "\(path) is no cache: it holds other files and no cached object", hint: hint)
    }
    return cache
  }

  private static let hint = "name the folder that was given to StorageCache"
}
