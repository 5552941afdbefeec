// The system calls that give a file another name, or change two names in one step.

import CLinux
import Glibc

extension SystemCall {
  private static func checked(
    _ operation: String, _ path: @autoclosure () -> String, _ call: () -> Int32
  ) throws(SystemError) {
    while call() < 0 {
      let number = errno
      if number != EINTR { throw SystemError(errno: number, operation: operation, path: path()) }
    }
  }

  /// One more name for a file; a link gets one itself and is not followed. EEXIST where something stands.
  static func link(
    at directory: Int32, _ from: UnsafePointer<CChar>, to target: Int32, _ path: UnsafePointer<CChar>
  ) throws(SystemError) {
    try checked("link", String(cString: path)) { linkat(directory, from, target, path, 0) }
  }

  /// Opens a file that has no name, in that directory; its mode is less the umask.
  static func openUnnamed(in directory: Int32, mode: mode_t) throws(SystemError) -> FileDescriptor {
    try open(at: directory, ".", O_RDWR | mirror_o_tmpfile(), mode: mode)
  }

  /// The first name of a file that was opened without one. EEXIST where something stands, ENOENT where the kernel gives
  /// it none.
  static func giveName(
    _ path: UnsafePointer<CChar>, in directory: Int32, to descriptor: Int32
  ) throws(SystemError) {
    do {
      try checked("make", String(cString: path)) { linkat(descriptor, "", directory, path, mirror_at_empty_path()) }
    } catch {
      // Before Linux 6.10 the short way is only for those who may read everything (CAP_DAC_READ_SEARCH).
      guard error.errno == ENOENT || error.errno == EPERM else { throw error }
      try checked("make", String(cString: path)) {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", directory, path, AT_SYMLINK_FOLLOW)
      }
    }
  }

  static func makeLink(_ target: String, at directory: Int32, _ path: String) throws(SystemError) {
    try checked("make the link", path) { symlinkat(target, directory, path) }
  }

  /// Where a link points to; nil for what is no link, or is not there.
  static func linkTarget(at directory: Int32, _ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(directory, path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(validating: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Both names change places, in one step.
  static func exchange(
    at directory: Int32, _ one: String, with target: Int32, _ other: String
  ) throws(SystemError) {
    try checked("exchange", other) { mirror_renameat2(directory, one, target, other, mirror_rename_exchange()) }
  }

  /// As `rename`, but EEXIST where something stands.
  static func renameOntoNothing(
    at directory: Int32, _ from: String, to target: Int32, _ path: String
  ) throws(SystemError) {
    do {
      try checked("rename to", path) { mirror_renameat2(directory, from, target, path, mirror_rename_noreplace()) }
    } catch {
      // Some network file systems do not know the flag. Whoever calls holds a lock, so that looking first is as good.
      guard error.errno == EINVAL || error.errno == ENOSYS else { throw error }
      guard (try? status(at: target, path)) == nil else {
        throw SystemError(errno: EEXIST, operation: "rename to", path: path)
      }
      try rename(at: directory, from, to: target, path)
    }
  }

  /// Copies an open file to its end into another, sharing the blocks where the file system can.
  static func copy(_ source: Int32, to target: Int32) throws(SystemError) {
    while true {
      let count = mirror_copy_file_range(source, target, 1 << 30)
      if count == 0 { return }
      guard count < 0 else { continue }
      let number = errno
      if number == EINTR { continue }
      guard [EXDEV, ENOSYS, EINVAL, EOPNOTSUPP, EPERM].contains(number) else {
        throw SystemError(errno: number, operation: "copy")
      }
      return try copyThroughMemory(source, to: target)
    }
  }

  private static func copyThroughMemory(_ source: Int32, to target: Int32) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(source, into: buffer)
      guard count > 0 else { return }
      try writeAll(target, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
