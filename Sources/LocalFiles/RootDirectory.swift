// The one directory that a run writes into, held open. How names below it are reached is
// `RootDirectory+SafeOpen.swift`.

import CLinux
import Glibc
package import TransferModel

/// An open root directory. Everything below is named relative to its descriptor, so that a root that is renamed or
/// mounted over during the run stays the one that was opened.
///
/// Sendable: nothing of it changes after it was made.
package final class RootDirectory: Sendable {
  /// How names below the root are resolved.
  package enum Resolution: Sendable {
    /// One openat2(2) call with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS; Linux 5.6.
    case kernel
    /// Component by component, none of them a link; for older kernels, and for sandboxes that refuse openat2.
    case componentWise
  }

  /// The root as it was given; for messages.
  package let path: String
  package let descriptor: FileDescriptor
  package let resolution: Resolution

  /// Opens the directory, whose own path may go through links: it is the user's own word.
  ///
  /// - creating: makes it and missing parents first, with mode 0777 less the umask.
  /// - resolution: nil = what the kernel offers.
  ///
  /// Throws a failure of class `local`.
  package init(
    opening path: String, creating: Bool = false, resolution: Resolution? = nil
  ) throws(TransferFailure) {
    self.path = path
    do {
      if creating { try Self.makeWithParents(path) }
      descriptor = try SystemCall.open(path, O_RDONLY | O_DIRECTORY)
    } catch {
      var failure = error.at(path).failure
      if error.errno == ENOENT { failure.hint = "make the directory first, or check the path" }
      throw failure
    }
    self.resolution = resolution ?? Self.offered(by: descriptor.rawValue)
  }

  private static func offered(by descriptor: Int32) -> Resolution {
    // ENOSYS before Linux 5.6, EPERM in containers whose filter does not know the call; any other error would show
    // again with the other way of opening, so that one is taken then.
    do {
      _ = try SystemCall.openBeneath(descriptor, ".", mirror_o_path() | O_DIRECTORY)
      return .kernel
    } catch {
      return .componentWise
    }
  }

  /// mkdir -p. Something that already stands there is not looked at: opening it will tell.
  static func makeWithParents(_ path: String) throws(SystemError) {
    do {
      try SystemCall.makeDirectory(path)
    } catch {
      if error.errno == EEXIST { return }
      guard error.errno == ENOENT, let parent = parent(of: path) else { throw error }
      try makeWithParents(parent)
      do {
        try SystemCall.makeDirectory(path)
      } catch  where error.errno == EEXIST {
        return
      }
    }
  }

  /// The path less its last component; nil when there is none. `/` for what lies directly below it.
  static func parent(of path: String) -> String? {
    var bytes = Substring(path)
    while bytes.utf8.count > 1, bytes.utf8.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
    guard let slash = bytes.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let parent = String(bytes[..<slash])
    if parent.isEmpty { return bytes.utf8.count > 1 ? "/" : nil }
    return parent
  }

  /// Writes everything on the root's file system to the disk; the durability of a whole batch in one call.
  ///
  /// Errors of writing back that happened since the root was opened are reported here (Linux 5.8).
  package func sync() throws(TransferFailure) {
    do {
      try SystemCall.syncFileSystem(descriptor.rawValue)
    } catch {
      throw error.at(path).failure
    }
  }
}
