// Each system call of this target, wrapped once: an interrupted call is repeated, a failed one throws its error number
// with what it was about. No decision is made here.

import CLinux
import Glibc

/// The calls by name. Paths are relative to `directory`, an open descriptor, and never change hands as text when they
/// are given as a Swift string or a C array.
enum SystemCall {
  private static func repeated<Value: SignedInteger>(
    _ operation: String, _ path: UnsafePointer<CChar>? = nil, _ call: () -> Value
  ) throws(SystemError) -> Value {
    while true {
      let result = call()
      if result >= 0 { return result }
      let number = errno
      if number == EINTR { continue }
      throw SystemError(errno: number, operation: operation, path: path.map { String(cString: $0) } ?? "")
    }
  }

  // MARK: names

  /// O_CLOEXEC is always set, so that no child inherits a descriptor, or a lock with it.
  static func open(
    at directory: Int32 = AT_FDCWD, _ path: UnsafePointer<CChar>, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) -> FileDescriptor {
    let number = try repeated("open", path) { Glibc.openat(directory, path, flags | O_CLOEXEC, mode) }
    return FileDescriptor(owning: number)
  }

  /// As `open`, resolved by the kernel without leaving `directory` and without following any link.
  static func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32
  ) throws(SystemError) -> FileDescriptor {
    let resolve = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
    let number = try repeated("open", path) {
      mirror_openat2(directory, path, UInt64(UInt32(bitPattern: flags | O_CLOEXEC)), 0, resolve)
    }
    return FileDescriptor(owning: number)
  }

  static func makeDirectory(
    at directory: Int32 = AT_FDCWD, _ path: UnsafePointer<CChar>, mode: mode_t = 0o777
  ) throws(SystemError) {
    _ = try repeated("make directory", path) { mkdirat(directory, path, mode) }
  }

  static func rename(
    at directory: Int32, _ from: UnsafePointer<CChar>, to target: Int32, _ path: UnsafePointer<CChar>
  ) throws(SystemError) {
    _ = try repeated("rename onto", path) { renameat(directory, from, target, path) }
  }

  static func unlink(
    at directory: Int32, _ path: UnsafePointer<CChar>, flags: Int32 = 0
  ) throws(SystemError) {
    _ = try repeated("remove", path) { unlinkat(directory, path, flags) }
  }

  /// The status of a name; a link is seen as such, never followed.
  static func status(
    at directory: Int32, _ path: UnsafePointer<CChar>
  ) throws(SystemError) -> FileStatus {
    var record = stat()
    _ = try repeated("look at", path) { fstatat(directory, path, &record, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(record)
  }

  // MARK: open files

  static func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var record = stat()
    _ = try repeated("look at") { fstat(descriptor, &record) }
    return FileStatus(record)
  }

  /// 0 at the end of the file.
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64? = nil
  ) throws(SystemError) -> Int {
    try repeated("read") {
      guard let offset else { return Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
      return pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }
  }

  /// Fills `buffer` with records of getdents64(2); 0 at the end of the directory.
  static func list(_ directory: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    guard let base = buffer.baseAddress else { throw SystemError(errno: EINVAL, operation: "list") }
    return try repeated("list") { mirror_getdents64(directory, base, buffer.count) }
  }

  static func space(of descriptor: Int32) throws(SystemError) -> statvfs {
    var record = statvfs()
    _ = try repeated("ask the free space of") { fstatvfs(descriptor, &record) }
    return record
  }

  /// Writes all bytes or throws: a short write is continued, so that a full disk shows as ENOSPC and not as silence.
  static func writeAll(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try repeated("write to") {
        guard let offset else { return Glibc.write(descriptor, rest.baseAddress, rest.count) }
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      }
      guard count > 0 else { throw SystemError(errno: EIO, operation: "write to") }
      done += count
    }
  }

  static func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    _ = try repeated("truncate") { ftruncate(descriptor, off_t(length)) }
  }

  static func setMode(_ descriptor: Int32, _ mode: UInt16) throws(SystemError) {
    _ = try repeated("set the mode of") { fchmod(descriptor, mode_t(mode)) }
  }

  /// Sets the time of modification; the time of access stays.
  static func setModified(_ descriptor: Int32, seconds: Int64, nanoseconds: Int32) throws(SystemError) {
    let unchanged = timespec(tv_sec: 0, tv_nsec: Self.omit)
    let times = [unchanged, timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))]
    _ = try repeated("set the time of") { futimens(descriptor, times) }
  }

  /// UTIME_OMIT of utimensat(2); a macro with a cast, which does not import.
  private static let omit = (1 << 30) - 2

  static func sync(_ descriptor: Int32) throws(SystemError) {
    _ = try repeated("sync") { fsync(descriptor) }
  }

  /// Syncs the bytes of a file and what is needed to find them; not its times.
  static func syncData(_ descriptor: Int32) throws(SystemError) {
    _ = try repeated("sync") { fdatasync(descriptor) }
  }

  static func syncFileSystem(_ descriptor: Int32) throws(SystemError) {
    _ = try repeated("sync the file system of") { mirror_syncfs(descriptor) }
  }

  static func duplicate(_ descriptor: Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try repeated("duplicate") { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) })
  }

  /// Takes the lock of an open file without waiting, or changes it to the other kind; false when another open file has one
  /// that does not go with it, and then this one has none.
  static func tryLock(_ descriptor: Int32, isShared: Bool = false) throws(SystemError) -> Bool {
    do {
      _ = try repeated("lock") { flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
      return true
    } catch {
      if error.errno == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Gives up the lock of an open file now. Closing is not enough: a child that another thread is spawning holds a
  /// copy of the open file until it executes, and the lock with it. Nothing can go wrong that closing would not set
  /// right.
  static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// Tells the kernel to read ahead. Advice only: what it answers changes nothing.
  static func adviseSequential(_ descriptor: Int32) {
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }
}
