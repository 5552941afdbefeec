// What a name on the disk is, and the few facts by which a changed file is recognised.

import Glibc

/// What a file looks like from outside; as long as none of these moves, its content is taken to be the same.
package struct FileStamp: Hashable, Sendable {
  /// In bytes.
  package var size: Int64
  /// The time of modification in nanoseconds since 1970, UTC; clamped at the ends of `Int64` (years 1678 and 2262).
  package var modified: Int64
  package var inode: UInt64
  /// Permission bits with set-id and sticky: `0o7777` at most.
  package var mode: UInt16

  package init(size: Int64, modified: Int64, inode: UInt64, mode: UInt16) {
    self.size = size
    self.modified = modified
    self.inode = inode
    self.mode = mode
  }
}

/// What kind of thing a name is.
package enum FileKind: Hashable, Sendable {
  case file
  case directory
  case symlink
  /// A socket, a device, a pipe.
  case other
}

/// A name's kind and stamp, as lstat(2) tells them.
package struct FileStatus: Hashable, Sendable {
  package var kind: FileKind
  package var stamp: FileStamp
  /// How many names the file has; 0 when its last one was removed while it was open.
  package var linkCount: UInt64
  /// The file system it lies on.
  package var device: UInt64

  init(_ record: stat) {
    switch record.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symlink
    default: kind = .other
    }
    let (seconds, tooFar) = Int64(record.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = seconds.addingReportingOverflow(Int64(record.st_mtim.tv_nsec))
    let clamped = record.st_mtim.tv_sec < 0 ? Int64.min : Int64.max
    stamp = FileStamp(
      size: Int64(record.st_size), modified: tooFar || overflow ? clamped : sum, inode: UInt64(record.st_ino),
      mode: UInt16(record.st_mode & 0o7777))
    linkCount = UInt64(record.st_nlink)
    device = UInt64(record.st_dev)
  }

  /// Whether both are the same file on the same file system, whatever its content.
  package func isSameFile(as other: FileStatus) -> Bool {
    stamp.inode == other.stamp.inode && device == other.device
  }
}
