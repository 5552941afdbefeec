// Sets what can be set on a file without touching its bytes: permission bits and the time of change.

import Glibc
package import TransferModel

extension DirectoryCache {
  /// Sets the mode of a file. A symbolic link is refused, never followed.
  package func setMode(_ mode: UInt16, of path: RelativePath) throws(TransferFailure) {
    _ = try change(path, "set the mode of") { file throws(SystemError) in try SystemCall.setMode(file, mode) }
  }

  /// Sets the time of change of a file, in nanoseconds since 1970, and returns how the file looks then. A symbolic link
  /// is refused, never followed.
  package func setModified(_ modified: Int64, of path: RelativePath) throws(TransferFailure) -> LocalStamp {
    let seconds = modified.flooredSeconds
    return try change(path, "set the time of") { file throws(SystemError) in
      try SystemCall.setModified(file, seconds: seconds, nanoseconds: Int32(modified - seconds * 1_000_000_000))
    }
  }

  /// Gives a file that has several names a file of its own at this one, with the same bytes, mode and time, so that what is
  /// set on it is not set on the others. Its new stamp; nil when it has no other name, or is no file.
  package func separate(_ path: RelativePath) throws(TransferFailure) -> LocalStamp? {
    guard let parent = try parent(of: path), let status = try survey(path), status.kind == .file, status.linkCount > 1
    else { return nil }
    do throws(SystemError) {
      let temporary = TemporaryName.unique()
      try LinkedTree.copy(path.name, parent, in: parent, temporary)
      try SystemCall.rename(at: parent.number, temporary, to: parent.number, path.name)
      return try SystemCall.status(at: parent.number, path.name).stamp
    } catch {
      throw error.at(path.text).failure
    }
  }

  private func change(
    _ path: RelativePath, _ operation: String, _ body: (Int32) throws(SystemError) -> Void
  ) throws(TransferFailure) -> LocalStamp {
    guard let parent = try parent(of: path) else {
      throw SystemError(errno: ENOENT, operation: operation, path: path.text).failure
    }
    do throws(SystemError) {
      let file = try SystemCall.open(at: parent.number, path.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard try SystemCall.status(of: file.rawValue).kind == .file else {
        throw SystemError(errno: EINVAL, operation: operation)
      }
      try body(file.rawValue)
      return try SystemCall.status(of: file.rawValue).stamp
    } catch {
      throw error.at(path.text).failure
    }
  }
}
