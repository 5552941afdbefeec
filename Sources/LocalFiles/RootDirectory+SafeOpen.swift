// Opening directories below the root so that no symbolic link leads out of it. `TransferModel.RelativePath` makes the
// same promise about the text; this one is about what is on the disk. Links at the final name are the business of those
// who open files: they open with O_NOFOLLOW, or replace the name by rename.

import CLinux
import Glibc
import TransferModel

/// An open directory below a root. Sendable: the descriptor never changes and closes with the last reference.
package final class Directory: Sendable {
  /// The path below the root; empty for the root itself.
  package let path: String
  package let descriptor: FileDescriptor
  /// Whether files in it can do without a name until they are finished; nil = not found out yet.
  let keepsUnnamedFiles = Lock<Bool?>(nil)

  init(path: String, descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  var number: Int32 { descriptor.rawValue }

  /// A name in this directory, as the path below the root.
  package func path(of name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

  /// Writes the names in it to the disk.
  func sync() throws(SystemError) {
    let readable = try openForReading()
    try SystemCall.sync(readable.rawValue)
  }

  /// Whether nothing is in it but names that are passed over, as what mirror keeps for itself. Stops reading at the first
  /// other name.
  func holdsNothing(
    but isPassedOver: (UnsafeRawBufferPointer) -> Bool = DirectoryWalk.isReserved
  ) throws(SystemError) -> Bool {
    let readable = try openForReading()
    return try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer throws(SystemError) in
      var holdsNothing = true
      try DirectoryListing.read(readable.rawValue, buffer) { name, _ in
        holdsNothing = isPassedOver(name)
        return holdsNothing
      }
      return holdsNothing
    }
  }

  /// The descriptor that names things (O_PATH) can be neither synced nor listed.
  private func openForReading() throws(SystemError) -> FileDescriptor {
    try SystemCall.open(at: number, ".", O_RDONLY | O_DIRECTORY)
  }
}

extension RootDirectory {
  /// Opens a directory below the root; an empty path is the root itself. The descriptor is good for naming things in it
  /// (O_PATH), not for reading it.
  ///
  /// Throws ELOOP where a component is a symbolic link and ENOTDIR where one is no directory, with that component's
  /// path.
  func openDirectory(_ path: String) throws(SystemError) -> Directory {
    let flags = mirror_o_path() | O_DIRECTORY
    if path.isEmpty {
      return Directory(path: path, descriptor: try SystemCall.open(at: descriptor.rawValue, ".", flags))
    }
    guard resolution == .kernel else { return try openComponentWise(path) }
    do {
      return Directory(path: path, descriptor: try SystemCall.openBeneath(descriptor.rawValue, path, flags))
    } catch {
      // The kernel says that something is wrong, not where; EAGAIN is a rename that happened meanwhile. Walking tells
      // the component, and is as safe.
      guard [ELOOP, EXDEV, ENOTDIR, EAGAIN].contains(error.errno) else { throw error }
      return try openComponentWise(path)
    }
  }

  private func openComponentWise(_ path: String) throws(SystemError) -> Directory {
    let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var current = Directory(
      path: "", descriptor: try SystemCall.open(at: descriptor.rawValue, ".", mirror_o_path() | O_DIRECTORY))
    for component in components {
      current = try open(String(Substring(component)), in: current)
    }
    return current
  }

  /// Opens one directory by name in another, if it is a directory and no link.
  func open(_ name: String, in parent: Directory) throws(SystemError) -> Directory {
    let path = parent.path(of: name)
    guard !name.isEmpty, name != ".", name != ".." else {
      throw SystemError(errno: EINVAL, operation: "open", path: path)
    }
    let flags = mirror_o_path() | O_DIRECTORY | O_NOFOLLOW
    do {
      return Directory(path: path, descriptor: try SystemCall.open(at: parent.number, name, flags))
    } catch {
      // O_DIRECTORY answers ENOTDIR for a link too.
      let isLink = error.errno == ENOTDIR && (try? SystemCall.status(at: parent.number, name))?.kind == .symlink
      throw SystemError(errno: isLink ? ELOOP : error.errno, operation: "open", path: path)
    }
  }
}
