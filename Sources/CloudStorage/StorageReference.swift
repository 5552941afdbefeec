// A place in a bucket. What can be asked about it is in the `StorageReference+….swift` files.

package import TransferModel

/// An object or a folder in a bucket; nothing need be there.
///
/// Names are compared byte by byte: `é` written as one code point and as two are two different objects.
public final class StorageReference: Sendable {
  /// The storage that this reference was made by.
  public let storage: Storage
  package let path: StoragePath

  package init(storage: Storage, path: StoragePath) {
    self.storage = storage
    self.path = path
  }

  /// The bucket's name.
  public var bucket: String { path.bucket }

  /// The whole name without a slash at either end; empty at the root.
  public var fullPath: String { path.fullPath }

  /// What follows the last slash of the whole name; empty at the root.
  public var name: String { path.name }

  /// The reference below this one. Runs of `/` count as one, and those at the ends do not count; `.` and `..` are names
  /// like others.
  public func child(_ path: String) -> StorageReference {
    StorageReference(storage: storage, path: self.path.child(path))
  }

  /// The reference above; nil at the root.
  public func parent() -> StorageReference? {
    path.parent.map { StorageReference(storage: storage, path: $0) }
  }

  /// The bucket's root.
  public func root() -> StorageReference { StorageReference(storage: storage, path: path.root) }
}

extension StorageReference: Hashable {
  /// Equal when storage, bucket and name are, byte by byte.
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.storage == right.storage && left.path.object == right.path.object
      && left.path.bucket.utf8.elementsEqual(right.path.bucket.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage)
    hasher.combine(ObjectName(path.bucket))
    hasher.combine(path.object)
  }
}

extension StorageReference: CustomStringConvertible {
  /// `gs://bucket/path/of/object`, not escaped; the root ends in a slash.
  public var description: String { path.description }
}
