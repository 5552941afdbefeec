// Objects kept in a folder, so that they need not be downloaded again. What is looked up by whom is `StorageImageLoader`.

import CurlTransport
public import Foundation
import Glibc
import LocalFiles
package import TransferModel

/// A folder of cached objects, bounded by size and age.
///
/// Every object is one file, put in place as a whole and checked when it is read: one that is damaged counts as absent and
/// is removed. Several processes may use one folder. The methods read and write files, so call them where that may block;
/// from any thread.
public final class StorageCache: Sendable {
  /// How much is kept, and for how long.
  public struct Limits: Hashable, Sendable {
    /// Bytes of all files together; 256 MiB unless set. When it is exceeded, the oldest files go until three quarters are
    /// left.
    public var size: Int64
    /// How long after it was stored an object is used; 7 days unless set.
    public var age: Duration

    public init(size: Int64 = 256 << 20, age: Duration = .seconds(7 * 86_400)) {
      self.size = max(0, size)
      self.age = max(.zero, age)
    }
  }

  /// One object in the cache.
  public struct Entry: Hashable, Sendable {
    /// The object's `gs://` URL, percent-encoded; with `#` and a generation where that was asked for.
    public let key: String
    /// Bytes of the file.
    public let size: Int64
    /// The version of the object; nil when the server named none.
    public let generation: Int64?
    /// In seconds since 1970.
    package let storedAt: Int64
    /// When it was stored.
    public var stored: Date { Date(timeIntervalSince1970: TimeInterval(storedAt)) }
    let fileName: String
  }

  /// What was found under a key.
  public struct Hit: Hashable, Sendable {
    public let data: Data
    public let generation: Int64?
  }

  /// What a removal did.
  public struct Removal: Hashable, Sendable {
    public var count = 0
    /// Bytes of the removed files.
    public var bytes: Int64 = 0
    /// Files that were to go and are still there: the folder cannot be written, most likely.
    package var failures = 0
  }

  /// The folder, as it was given.
  package let path: String
  public let limits: Limits
  private let clocks: any Clocks
  /// Bytes of all files, as far as is known; nil = not counted yet.
  private let knownSize = Lock<Int64?>(nil)

  /// A cache in that folder, which is made when the first object is stored.
  public convenience init(folder: URL, limits: Limits = Limits()) {
    self.init(path: folder.path, limits: limits)
  }

  package init(path: String, limits: Limits = Limits(), clocks: any Clocks = SystemClocks()) {
    self.path = path
    self.limits = limits
    self.clocks = clocks
  }

  private var now: Int64 { clocks.utc().seconds }
}

// MARK: - Single objects

extension StorageCache {
  /// The object under that key; nil when there is none that is whole and young enough.
  public func object(for key: String) -> Hit? {
    let name = Self.fileName(key)
    guard let bytes = try? WholeFile.read(file(name), limit: ByteCount(.max)) else { return nil }
    guard let record = CacheRecord(parsing: bytes), record.head.key.utf8.elementsEqual(key.utf8),
      !isTooOld(record.head.storedAt)
    else {
      _ = delete(name, Int64(bytes.count))
      return nil
    }
    return Hit(data: Data(record.bytes), generation: record.head.generation)
  }

  /// Stores an object in place of the one under that key. An object larger than the whole cache is not stored.
  ///
  /// Throws ``StorageError/unknown(message:serverError:)`` with the system's words.
  public func store(_ data: Data, generation: Int64? = nil, for key: String) throws {
    let record = CacheRecord(key: key, bytes: Array(data), generation: generation, storedAt: now)
    let bytes = record.encoded
    guard Int64(bytes.count) <= limits.size, key.utf8.count <= CacheRecord.longestKey else { return }
    do throws(TransferFailure) {
      try write(bytes, to: Self.fileName(key))
    } catch {
      throw StorageError.unknown(message: "The cache cannot store \(key): \(error.message)", serverError: nil)
    }
    let size = knownSize.withLock { size in
      size = size.map { $0 + Int64(bytes.count) }
      return size
    }
    if size ?? countAll() > limits.size { _ = prune() }
  }

  /// Removes what is under that key; nothing happens when there is nothing.
  public func remove(_ key: String) { _ = delete(Self.fileName(key), 0) }

  /// Under 64 KiB a file is written in one go; a larger one is continued by nobody, so its part goes when it fails. Private
  /// objects may be in it, so it is its owner's alone.
  private func write(_ bytes: [UInt8], to name: String) throws(TransferFailure) {
    let directories = DirectoryCache(try RootDirectory(opening: path, creating: true), capacity: 1)
    let destination: RelativePath
    do {
      destination = try RelativePath(name)
    } catch {
      throw TransferFailure(.internalError, .local, "\(name) is no file name")
    }
    var options = PartialFile.Options()
    options.mode = 0o600
    let file = try PartialFile(destination, in: directories, digest: try StreamingDigest([]), options: options)
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

  private func isTooOld(_ storedAt: Int64) -> Bool { Double(now - storedAt) > limits.age.inSeconds }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  private static let suffix = ".object"

  /// Keys are longer than file names may be, so the name is made of the key's sha256; the key itself is in the file.
  private static func fileName(_ key: String) -> String {
    let digest = try? StreamingDigest.digests(of: key.utf8, [.sha256]).sha256
    return (digest?.hex ?? PercentEncoding.encode(String(key.suffix(80)))) + suffix
  }
}

// MARK: - All objects

extension StorageCache {
  /// All objects, oldest first. Files that are none of ours are passed over; a missing folder has none.
  public func entries() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(Self.suffix) }.compactMap { entry($0) }
      .sorted { ($0.storedAt, $0.fileName) < ($1.storedAt, $1.fileName) }
  }

  /// Bytes of all objects' files together.
  public var size: Int64 { entries().reduce(0) { $0 + $1.size } }

  /// Removes what is too old, then the oldest files while they are together too large; nil = as ``limits`` says. What broken
  /// runs left unfinished goes, too.
  @discardableResult
  public func prune(age: Duration? = nil, size: Int64? = nil) -> Removal {
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
  @discardableResult
  public func clear() -> Removal {
    var removal = Removal()
    for entry in entries() { remove(entry, &removal) }
    knownSize.withLock { $0 = 0 }
    sweep()
    return removal
  }

  private func entry(_ name: String) -> Entry? {
    // Opening a pipe would wait for whoever writes to it.
    var status = stat()
    guard lstat(file(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let handle = FileHandle(forReadingAtPath: file(name))
    else { return nil }
    defer { try? handle.close() }
    let start = (try? handle.read(upToCount: CacheRecord.headSize + CacheRecord.longestKey)) ?? Data()
    guard let head = CacheRecord.parseHead(Array(start)[...]), let size = try? handle.seekToEnd() else { return nil }
    return Entry(
      key: head.key, size: Int64(size), generation: head.generation, storedAt: head.storedAt, fileName: name)
  }

  private func countAll() -> Int64 {
    let size = size
    knownSize.withLock { $0 = size }
    return size
  }

  private func remove(_ entry: Entry, _ removal: inout Removal) {
    guard delete(entry.fileName, entry.size) else {
      if FileManager.default.fileExists(atPath: file(entry.fileName)) { removal.failures += 1 }
      return
    }
    removal.count += 1
    removal.bytes += entry.size
  }

  private func delete(_ name: String, _ size: Int64) -> Bool {
    guard (try? FileManager.default.removeItem(atPath: file(name))) != nil else { return false }
    knownSize.withLock { $0 = $0.map { max(0, $0 - size) } }
    return true
  }

  private func sweep() {
    guard let root = try? RootDirectory(opening: path) else { return }
    let before = Timestamp(seconds: now - 3_600)
    _ = Sweep(DirectoryCache(root, capacity: 1), before: before, keeping: { _ in false }).run(in: [""])
  }
}
