// Sets the permission bits of a file that stays as it is.

import Glibc
package import TransferModel

extension DirectoryCache {
  /// Sets the mode of a file. A symbolic link is refused, never followed.
  package func setMode(_ mode: UInt16, of path: RelativePath) throws(TransferFailure) {
    guard let parent = try parent(of: path) else {
      throw SystemError(errno: ENOENT, operation: "set the mode of", path: path.text).failure
    }
    do throws(SystemError) {
      let file = try SystemCall.open(at: parent.number, path.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard try SystemCall.status(of: file.rawValue).kind == .file else {
        throw SystemError(errno: EINVAL, operation: "set the mode of")
      }
      try SystemCall.setMode(file.rawValue, mode)
    } catch {
      throw error.at(path.text).failure
    }
  }
}
