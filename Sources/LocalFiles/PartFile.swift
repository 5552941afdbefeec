// One unfinished file on the disk: how it is opened so that only we write to it, and how it takes its final name.
// What goes into it, and when it is made at all, is `PartialFile`.

import Glibc
import TransferModel

/// An open file under a temporary name or none, in the folder where it will be final. Used on one thread.
final class PartFile {
  /// How it can be found while it is not finished.
  enum Naming {
    /// By a later run. Such a file is locked (flock) as long as it is open, because another run may come upon it.
    case stable(String)
    /// By nobody who does not list the folder, so that it needs no lock.
    case unique(String)
    /// Not at all: the kernel removes it when it is closed, even by a crash.
    case none
  }

  let directory: Directory
  private let naming: Naming
  /// Its length when it was opened.
  let initialSize: Int64
  private var descriptor: FileDescriptor?

  init(_ directory: Directory, _ naming: Naming, size: Int64, _ descriptor: consuming FileDescriptor) {
    self.directory = directory
    self.naming = naming
    initialSize = size
    self.descriptor = consume descriptor
  }

  deinit { close() }

  var isContinuable: Bool {
    if case .stable = naming { true } else { false }
  }

  var isUnnamed: Bool {
    if case .none = naming { true } else { false }
  }

  /// Makes a file that is filled and renamed at once. `mode` is less the umask.
  static func createUnique(in directory: Directory, mode: UInt16) throws(SystemError) -> PartFile {
    let name = TemporaryName.unique()
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    let descriptor = try SystemCall.open(at: directory.number, name, flags, mode: creationMode(mode))
    return PartFile(directory, .unique(name), size: 0, descriptor)
  }

  /// Opens the file of a stable name as it is, never truncating it, and locks it. `mode` nil = do not make it: answers
  /// nil when there is none.
  ///
  /// Throws EAGAIN when another process or task has it.
  static func openContinuable(
    _ name: String, in directory: Directory, creatingWithMode mode: UInt16?
  ) throws(SystemError) -> PartFile? {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (mode == nil ? 0 : O_CREAT)
    for _ in 0..<8 {
      let descriptor: FileDescriptor
      do {
        descriptor = try SystemCall.open(at: directory.number, name, flags, mode: creationMode(mode ?? 0))
      } catch {
        if error.errno == ENOENT && mode == nil { return nil }
        guard error.errno == ELOOP || error.errno == ENXIO else { throw error }
        try remove(name, in: directory)
        continue
      }
      guard try SystemCall.tryLock(descriptor.rawValue) else { throw SystemError(errno: EAGAIN, operation: "lock") }
      let status = try SystemCall.status(of: descriptor.rawValue)
      // A link or a pipe under our name, or a second name for somebody's file, is not what we left there.
      guard status.kind == .file, status.linkCount <= 1 else {
        try remove(name, in: directory)
        continue
      }
      // Between open and lock its owner may have renamed it: then it is a finished file now, and not to be written to.
      guard let named = try? SystemCall.status(at: directory.number, name), named.isSameFile(as: status) else {
        continue
      }
      return PartFile(directory, .stable(name), size: status.stamp.size, descriptor)
    }
    throw SystemError(errno: EAGAIN, operation: "lock")
  }

  /// Never more open to others than the final file will be, and always open to us, so that a later run can continue it.
  static func creationMode(_ mode: UInt16) -> mode_t { mode_t(mode & 0o777 | 0o600) }

  private static func remove(_ name: String, in directory: Directory) throws(SystemError) {
    do {
      try SystemCall.unlink(at: directory.number, name)
    } catch {
      if error.errno != ENOENT { throw error }
    }
  }

  // MARK: bytes

  func number() throws(SystemError) -> Int32 {
    guard let number = descriptor?.rawValue else { throw SystemError(errno: EBADF, operation: "use") }
    return number
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    try SystemCall.writeAll(number(), bytes, at: offset)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try SystemCall.read(number(), into: buffer, at: offset)
  }

  func truncate(to length: Int64) throws(SystemError) { try SystemCall.truncate(number(), to: length) }

  /// A second descriptor of the open file.
  func duplicate() throws(SystemError) -> FileDescriptor { try SystemCall.duplicate(number()) }

  // MARK: the end

  func seal(_ form: FinalForm) throws(SystemError) -> LocalStamp { try form.apply(to: number()) }

  /// Puts the sealed file in place of whatever file or link has the final name.
  ///
  /// - replacing: false = only where nothing stands, else EEXIST; a file without a name never replaces.
  ///
  /// Lost writes that a network file system reports at close(2) must be known before that. A continuable file is closed
  /// through a second descriptor, because closing the first would give up its lock while it still has its old name.
  func publish(as final: String, replacing: Bool, durable: Bool) throws(SystemError) {
    switch naming {
    case .stable(let name):
      try SystemCall.duplicate(number()).close()
      try rename(name, final, replacing)
      close()
    case .unique(let name):
      if let descriptor = descriptor.take() { try descriptor.close() }
      try rename(name, final, replacing)
    case .none:
      try SystemCall.giveName(final, in: directory.number, to: number())
      if let descriptor = descriptor.take() { try descriptor.close() }
    }
    if durable { try directory.sync() }
  }

  private func rename(_ name: String, _ final: String, _ replacing: Bool) throws(SystemError) {
    if replacing {
      try SystemCall.rename(at: directory.number, name, to: directory.number, final)
    } else {
      try SystemCall.renameOntoNothing(at: directory.number, name, to: directory.number, final)
    }
  }

  /// Removes the file, then gives up the lock: no one can come upon a file that is about to go.
  func remove() {
    switch naming {
    case .stable(let name), .unique(let name): try? Self.remove(name, in: directory)
    case .none: break
    }
    close()
  }

  /// Closes the file and leaves it where it is.
  func close() {
    if isContinuable, let number = descriptor?.rawValue { SystemCall.unlock(number) }
    descriptor = nil
  }
}
