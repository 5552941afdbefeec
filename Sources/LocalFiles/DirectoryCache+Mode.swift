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
    let seconds = modified >= 0 ? modified / 1_000_000_000 : (modified - 999_999_999) / 1_000_000_000
    return try change(path, "set the time of") { file throws(SystemError) in
      try SystemCall.setModified(file, seconds: seconds, nanoseconds: Int32(modified - seconds * 1_000_000_000))
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
