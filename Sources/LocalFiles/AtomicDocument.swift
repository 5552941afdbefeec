// Documents that mirror itself writes (reports, plans, lock files): readers see the old one or the new one, whole.
// Downloads are `PartialFile`; the document's form is the caller's.

import Glibc
package import TransferModel

/// Collects a document beside its final name and puts it in place when it is complete. Used on one thread.
///
/// Its path is the user's own word and may go through links; a link at the final name is replaced by the document.
package final class AtomicDocument {
  /// The final path, as given.
  package let path: String
  private let directory: FileDescriptor
  private let name: String
  private let temporaryName: String
  private let mode: UInt16?
  private var descriptor: FileDescriptor?
  private var buffer: [UInt8] = []

  /// Makes the temporary file, and missing directories above it, so that a path that cannot be written shows at once.
  ///
  /// - mode: the permission bits, whatever the umask; nil = those of the document that is replaced, else 0666 less the
  ///   umask.
  ///
  /// Throws `is_a_directory`, `name_conflict` where a device or a pipe has the name, and other failures of class
  /// `local`.
  package init(_ path: String, mode: UInt16? = nil) throws(TransferFailure) {
    self.path = path
    do throws(SystemError) {
      let parent = RootDirectory.parent(of: path)
      name = try Self.lastComponent(of: path)
      if let parent { try RootDirectory.makeWithParents(parent) }
      directory = try SystemCall.open(parent ?? ".", O_RDONLY | O_DIRECTORY)
      let found = try Self.modeOfReplaced(name, in: directory.rawValue)
      self.mode = mode ?? found
      temporaryName = TemporaryName.unique()
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let creationMode = mode_t((self.mode ?? 0o666) | 0o200)
      descriptor = try SystemCall.open(at: directory.rawValue, temporaryName, flags, mode: creationMode)
      if let number = descriptor?.rawValue { _ = try SystemCall.tryLock(number) }
    } catch {
      throw error.at(path).failure
    }
  }

  deinit { abandon() }

  private static func lastComponent(of path: String) throws(SystemError) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let text = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    guard !text.isEmpty, text != ".", text != ".." else { throw SystemError(errno: EISDIR, operation: "write to") }
    return text
  }

  private static func modeOfReplaced(_ name: String, in directory: Int32) throws(SystemError) -> UInt16? {
    let status: FileStatus
    do {
      status = try SystemCall.status(at: directory, name)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error
    }
    switch status.kind {
    case .file: return status.mode & 0o777
    case .symlink: return nil
    case .directory: throw SystemError(errno: EISDIR, operation: "write to")
    case .other: throw SystemError(errno: EEXIST, operation: "replace a device, socket or pipe by")
    }
  }

  // MARK: content

  package func append(_ text: String) throws(TransferFailure) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 65_536 { try attempt { () throws(SystemError) in try flush() } }
  }

  package func append(_ bytes: [UInt8]) throws(TransferFailure) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 65_536 { try attempt { () throws(SystemError) in try flush() } }
  }

  /// Writes over the beginning, for what is only known at the end; `text` is no longer than what was appended.
  package func replaceStart(with text: String) throws(TransferFailure) {
    try attempt { () throws(SystemError) in
      try flush()
      let number = try number()
      try Array(text.utf8).withUnsafeBufferPointer { bytes throws(SystemError) in
        try SystemCall.writeAll(number, UnsafeRawBufferPointer(bytes), at: 0)
      }
    }
  }

  private func number() throws(SystemError) -> Int32 {
    guard let number = descriptor?.rawValue else { throw SystemError(errno: EBADF, operation: "write to") }
    return number
  }

  private func flush() throws(SystemError) {
    let number = try number()
    try buffer.withUnsafeBufferPointer { bytes throws(SystemError) in
      try SystemCall.writeAll(number, UnsafeRawBufferPointer(bytes))
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: the end

  /// Puts the document in place: written, synced, renamed, and the folder synced. Throws when any of it failed; then
  /// the old document still stands, unless only the last sync failed.
  package func publish() throws(TransferFailure) {
    do {
      try attempt { () throws(SystemError) in
        try flush()
        if let mode { try SystemCall.setMode(number(), mode) }
        try SystemCall.sync(number())
        if let descriptor = descriptor.take() { try descriptor.close() }
        try SystemCall.rename(at: directory.rawValue, temporaryName, to: directory.rawValue, name)
        try SystemCall.sync(directory.rawValue)
      }
    } catch {
      try? SystemCall.unlink(at: directory.rawValue, temporaryName)
      throw error
    }
  }

  /// Removes what was collected; the old document stays. Does nothing after `publish`.
  package func abandon() {
    guard descriptor != nil else { return }
    try? SystemCall.unlink(at: directory.rawValue, temporaryName)
    descriptor = nil
  }

  private func attempt(_ body: () throws(SystemError) -> Void) throws(TransferFailure) {
    do {
      try body()
    } catch {
      throw error.at(path).failure
    }
  }
}
