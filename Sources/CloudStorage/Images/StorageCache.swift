// The disk cache as the library shows it. Files and bounds are `StorageCore.ObjectCache`; what is looked up by whom is
// `StorageImageLoader`.

import CurlTransport
public import Foundation
import StorageCore
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
    /// When it was stored.
    public let stored: Date

    fileprivate init(_ entry: ObjectCache.Entry) {
      key = entry.key
      size = entry.size
      generation = entry.generation
      stored = Date(timeIntervalSince1970: TimeInterval(entry.storedAt))
    }
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

    package init(count: Int = 0, bytes: Int64 = 0) {
      self.count = count
      self.bytes = bytes
    }

    fileprivate init(_ removal: ObjectCache.Removal) { self.init(count: removal.count, bytes: removal.bytes) }
  }

  public let limits: Limits
  private let objects: ObjectCache

  /// A cache in that folder, which is made when the first object is stored.
  public convenience init(folder: URL, limits: Limits = Limits()) {
    self.init(path: folder.path, limits: limits)
  }

  package init(path: String, limits: Limits = Limits(), clocks: any Clocks = SystemClocks()) {
    self.limits = limits
    objects = ObjectCache(
      path: path, limits: ObjectCache.Limits(size: limits.size, age: limits.age), clocks: clocks)
  }

  /// The object under that key; nil when there is none that is whole and young enough.
  public func object(for key: String) -> Hit? {
    objects.object(for: key).map { Hit(data: Data($0.bytes), generation: $0.generation) }
  }

  /// Stores an object in place of the one under that key. An object larger than the whole cache is not stored.
  ///
  /// Throws ``StorageError/unknown(message:serverError:)`` with the system's words.
  public func store(_ data: Data, generation: Int64? = nil, for key: String) throws {
    do throws(TransferFailure) {
      try objects.store(Array(data), generation: generation, for: key)
    } catch {
      throw StorageError.unknown(message: "The cache cannot store \(key): \(error.message)", serverError: nil)
    }
  }

  /// Removes what is under that key; nothing happens when there is nothing.
  public func remove(_ key: String) { objects.remove(key) }

  /// All objects, oldest first. Files that are none of ours are passed over; a missing folder has none.
  public func entries() -> [Entry] { objects.entries().map { Entry($0) } }

  /// Bytes of all objects' files together.
  public var size: Int64 { objects.size }

  /// Removes what is too old, then the oldest files while they are together too large; nil = as ``limits`` says. What broken
  /// runs left unfinished goes, too.
  @discardableResult
  public func prune(age: Duration? = nil, size: Int64? = nil) -> Removal {
    Removal(objects.prune(age: age, size: size))
  }

  /// Removes all objects. The folder stays, with whatever else is in it.
  @discardableResult
  public func clear() -> Removal { Removal(objects.clear()) }
}
