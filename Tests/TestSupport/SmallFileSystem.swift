// A file system of its own for tests of full, read-only and inode-less disks. Only root can mount one.

import Glibc

/// A tmpfs in a fresh folder; unmounted when the value goes away.
package final class SmallFileSystem: Sendable {
  package let folder: TemporaryDirectory

  /// - Parameters:
  ///   - size: in bytes.
  ///   - inodes: the root folder takes one of them; nil = plenty.
  package init(size: Int, inodes: Int? = nil) throws {
    folder = try TemporaryDirectory(named: "mirror-tmpfs")
    let options = "size=\(size)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
    guard mount("tmpfs", folder.path, "tmpfs", 0, options) == 0 else { throw SystemError("mount a tmpfs") }
  }

  deinit { umount2(folder.path, 2) }

  /// Makes it read-only, or writable again.
  package func remount(readOnly: Bool) throws {
    let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
    guard mount(nil, folder.path, nil, flags, nil) == 0 else { throw SystemError("remount a tmpfs") }
  }

  package static let isAvailable: Bool = (try? SmallFileSystem(size: 1 << 16)) != nil
  package static let howToGet = "needs the right to mount a tmpfs (root with CAP_SYS_ADMIN)"
}
