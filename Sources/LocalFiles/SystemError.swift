// A system call that failed, and the one table that says what this means for a transfer.

import Glibc
package import TransferModel

/// An error number with what was done, and to what.
package struct SystemError: Error, Hashable, Sendable {
  package var errno: Int32
  /// A verb that reads well after "cannot": `open`, `write to`.
  package var operation: String
  /// What it was done to; empty when only the caller knows (`at(_:)` fills it in).
  package var path: String

  package init(errno: Int32, operation: String, path: String = "") {
    self.errno = errno
    self.operation = operation
    self.path = path
  }

  /// The same error, said of the path that the user knows.
  package func at(_ path: String) -> SystemError {
    SystemError(errno: errno, operation: operation, path: path)
  }

  /// The failure of the item, of class `local`.
  package var failure: TransferFailure {
    let (reason, hint) = Self.meaning(of: errno)
    return TransferFailure(reason, .local, description, hint: hint, errno: errno)
  }

  /// What an error number means, and what to do about it.
  package static func meaning(of errno: Int32) -> (reason: ReasonCode, hint: String?) {
    switch errno {
    case ENOSPC: (.diskFull, "free some space, or inodes, on that file system and run again")
    case EDQUOT: (.diskFull, "the disk quota is used up: free some space or have it raised, and run again")
    case EROFS: (.readOnly, "remount the file system for writing, or choose another root")
    case EACCES: (.permissionDenied, "check owner and mode of the file and of every directory above it")
    case EPERM: (.permissionDenied, "check owner, mode and attributes (lsattr) of the file and its directory")
    case ENAMETOOLONG: (.nameTooLong, "a name takes 255 bytes and a path 4095: choose a shorter destination")
    case EILSEQ: (.unsafeName, "this file system cannot store the name: choose another destination")
    case EMFILE: (.tooManyOpenFiles, "raise the limit of open files (ulimit -n) or lower --jobs")
    case ENFILE: (.tooManyOpenFiles, "the whole system is out of file handles (fs.file-max): lower --jobs")
    case ENOMEM: (.outOfMemory, "lower --jobs or give the process more memory")
    case ELOOP, EXDEV:
      (.symlinkRefused, "mirror writes through no symbolic link below the root: make it a real directory")
    case ENOTDIR: (.notADirectory, "move away the file that stands where a directory is needed")
    case EISDIR: (.isADirectory, "move away the directory that stands where the file goes")
    case EEXIST, ENOTEMPTY: (.nameConflict, "something else stands at that name: move it away")
    case EAGAIN: (.conflict, "another process is working on it: run again when that has ended")
    case EFBIG: (.ioError, "the file is larger than the file system or the limit (ulimit -f) allows")
    case ENOENT, ESTALE: (.ioError, "something removed it while mirror was working: run again")
    case EPIPE: (.ioError, "the reader of the output went away")
    case EIO: (.ioError, "the disk reported an error: see the kernel's log (dmesg)")
    default: (.ioError, nil)
    }
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    // strerror is safe on threads since glibc 2.32.
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return path.isEmpty ? "cannot \(operation): \(text)" : "cannot \(operation) \(path): \(text)"
  }
}
