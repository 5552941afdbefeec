// What tells, without reading it, whether a file is still the one that was proven.

/// What a file looked like when it was last seen: if none of these moved, its content is taken to be the same.
package struct LocalStamp: Hashable, Sendable {
  package var size: Int64
  /// Nanoseconds since 1970, UTC.
  package var modified: Int64
  package var inode: UInt64

  package init(size: Int64, modified: Int64, inode: UInt64) {
    self.size = size
    self.modified = modified
    self.inode = inode
  }
}
