// Files that have no name until they are finished (O_TMPFILE of open(2)): where they can be had, and what becomes of one
// that the kernel then gives no name.

import CLinux
import Glibc
import TransferModel

extension PartFile {
  /// Opens a file without a name; nil where the file system has none, or is not known to be safe for it.
  ///
  /// Against a temporary name and rename(2) this halves the work in the folder, whose lock all writers share (measured
  /// with two threads: 12 µs → 6 µs a file on tmpfs, 45 µs → 15 µs on ext4), leaves nothing behind after a crash, and
  /// cannot replace a file that appears meanwhile.
  static func openUnnamed(in directory: Directory, mode: UInt16) -> PartFile? {
    let isPossible = directory.keepsUnnamedFiles.withLock { known in
      if let known { return known }
      let answer = localFileSystems.contains(mirror_file_system(directory.number))
      known = answer
      return answer
    }
    guard isPossible else { return nil }
    do {
      let descriptor = try SystemCall.openUnnamed(in: directory.number, mode: creationMode(mode))
      return PartFile(directory, .none, size: 0, descriptor)
    } catch {
      // What else may be wrong with the folder shows when a file with a name is made in it.
      if error.errno == EOPNOTSUPP || error.errno == EISDIR { directory.keepsUnnamedFiles.withLock { $0 = false } }
      return nil
    }
  }

  /// The f_type of file systems that report no lost write at close(2), which comes after the name here: ext2 to ext4,
  /// XFS, Btrfs, tmpfs, F2FS, overlayfs, ZFS, bcachefs (<linux/magic.h>, and the sources of the last two).
  private static let localFileSystems: Set<UInt64> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x794C_7630, 0x2FC1_2FC1, 0xCA45_1A4E,
  ]

  /// A copy of this file under a unique name, for a kernel that gives this one none: without /proc, and older than 6.10.
  func namedCopy(mode: UInt16) throws(SystemError) -> PartFile {
    directory.keepsUnnamedFiles.withLock { $0 = false }
    let copy = try Self.createUnique(in: directory, mode: mode)
    do {
      _ = lseek(try number(), 0, SEEK_SET)
      try SystemCall.copy(number(), to: copy.number())
    } catch {
      copy.remove()
      throw error
    }
    return copy
  }
}
