// The path algebra of Firebase references: child, parent, root. On UTF-8 bytes, because Swift's characters fuse a slash
// with a combining mark behind it and take canonically equal names for one.
// Not for local files (`RelativePath`) and not for Google's API, where names keep their slashes.

/// A bucket and a normalised name in it: no empty segment, no slash at either end; nil is the root. `.` and `..` are
/// ordinary names.
package struct StoragePath: Hashable, Sendable {
  package let bucket: String
  package let object: ObjectName?

  /// `path` is normalised.
  package init(bucket: String, path: String = "") {
    self.bucket = bucket
    object = Self.normalize(path.utf8).map { ObjectName($0) }
  }

  /// The address with its name normalised; where it points is not kept.
  package init(_ address: StorageAddress) {
    self.init(bucket: address.bucket, path: address.object?.text ?? "")
  }

  package var address: StorageAddress { StorageAddress(bucket: bucket, object: object) }

  /// Collapses runs of `/` and strips it at the ends; nil when nothing is left.
  package static func normalize(_ path: some Sequence<UInt8>) -> String? {
    let slash = UInt8(ascii: "/")
    var result: [UInt8] = []
    var pendingSlash = false
    for byte in path {
      if byte == slash {
        pendingSlash = !result.isEmpty
      } else {
        if pendingSlash { result.append(slash) }
        pendingSlash = false
        result.append(byte)
      }
    }
    return result.isEmpty ? nil : String(decoding: result, as: UTF8.self)
  }

  /// The path below this one; an empty `path` is this one.
  package func child(_ path: String) -> StoragePath {
    StoragePath(bucket: bucket, path: fullPath + "/" + path)
  }

  /// The path above; nil at the root.
  package var parent: StoragePath? {
    guard let object else { return nil }
    guard let slash = object.text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return root }
    return StoragePath(bucket: bucket, path: String(object.text[..<slash]))
  }

  package var root: StoragePath { StoragePath(bucket: bucket) }

  /// The last segment; empty at the root.
  package var name: String {
    guard let slash = fullPath.utf8.lastIndex(of: UInt8(ascii: "/")) else { return fullPath }
    return String(Substring(fullPath.utf8[slash...].dropFirst()))
  }

  /// The whole name; empty at the root.
  package var fullPath: String { object?.text ?? "" }
}

extension StoragePath: CustomStringConvertible {
  /// `gs://bucket/object`, not escaped; the root ends in a slash.
  package var description: String { "gs://\(bucket)/\(fullPath)" }
}
