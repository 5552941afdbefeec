// One run per root at a time. The lock is the kernel's, on an open file: it ends with the process, however that ends,
// so a lock file that lies there means nothing (P66). The text in it only tells others whom they are waiting for. Several
// runs that share a root are `RootLock+Sharing`.

import Glibc
package import TransferModel

/// Holds `root/.mirror/lock` until it is released or deinitialised. Not inherited by child processes.
package final class RootLock: Sendable {
  /// Who holds the lock, as they wrote it; the fields are nil when the file could not be read.
  package struct Holder: Hashable, Sendable {
    package var processID: Int32?
    package var host: String?
    /// RFC 3339, as written.
    package var started: String?
  }

  package enum Failure: Error, Hashable, Sendable {
    /// Another run holds the root, also after the wait; exit status 8.
    case busy(Holder)
    /// The wait was given up.
    case cancelled
    case failed(TransferFailure)
  }

  /// A file whose lock, if it has been taken, ends with this object.
  final class File: Sendable {
    private let descriptor: FileDescriptor
    var number: Int32 { descriptor.rawValue }

    /// Opens a file in mirror's folder; makes it when it is not there.
    init(_ name: String, in folder: Directory) throws(SystemError) {
      descriptor = try SystemCall.open(at: folder.number, name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o644)
    }

    deinit { SystemCall.unlock(descriptor.rawValue) }
  }

  private let files: [File]

  init(_ files: File...) { self.files = files }

  /// Takes the lock, or says who has it.
  ///
  /// - started: when this run began, as text for others to read.
  /// - wait: how long to try; default zero = once. Waiting is polling, four times a second.
  /// - pause: waits for a time; returning false gives up with `cancelled`. Called on the calling thread.
  package static func acquire(
    _ root: RootDirectory, started: String, wait: Duration = .zero, pause: (Duration) -> Bool
  ) throws(Failure) -> RootLock {
    try polling(wait, pause) { () throws(TransferFailure) in
      do throws(SystemError) {
        switch try attemptOnce(root, fileName, started) {
        case .taken(let file): return .taken(RootLock(file))
        case .held(let holder): return .held(holder)
        }
      } catch {
        throw error.at("\(root.path)/\(directoryName)/\(fileName)").failure
      }
    }
  }

  enum Attempt<Lock> {
    case taken(Lock)
    case held(Holder)
  }

  /// Attempts until it is taken or the time is over.
  static func polling(
    _ wait: Duration, _ pause: (Duration) -> Bool, _ attempt: () throws(TransferFailure) -> Attempt<RootLock>
  ) throws(Failure) -> RootLock {
    let step = Duration.milliseconds(250)
    var left = wait
    while true {
      let outcome: Attempt<RootLock>
      do throws(TransferFailure) { outcome = try attempt() } catch { throw .failed(error) }
      switch outcome {
      case .taken(let lock): return lock
      case .held(let holder):
        guard left > .zero else { throw .busy(holder) }
        guard pause(min(step, left)) else { throw .cancelled }
        left -= step
      }
    }
  }

  /// mirror's own folder below the root, and the lock file in it.
  package static let directoryName = ".mirror"
  static let fileName = "lock"

  /// Takes the exclusive lock of a file in mirror's folder, which is made when it is not there.
  static func attemptOnce(
    _ root: RootDirectory, _ name: String, _ started: String
  ) throws(SystemError) -> Attempt<File> {
    let folder = try madeFolder(of: root)
    while true {
      let file = try File(name, in: folder)
      guard try SystemCall.tryLock(file.number) else { return .held(holder(file.number)) }
      guard try isNamed(file, name, in: folder) else { continue }
      try introduce(file, started)
      return .taken(file)
    }
  }

  static func madeFolder(of root: RootDirectory) throws(SystemError) -> Directory {
    do {
      try SystemCall.makeDirectory(at: root.descriptor.rawValue, directoryName)
    } catch {
      if error.errno != EEXIST { throw error }
    }
    return try root.openDirectory(directoryName)
  }

  /// Whoever removes `.mirror` while we open the file leaves us with a lock that no one else will ever see.
  static func isNamed(_ file: File, _ name: String, in folder: Directory) throws(SystemError) -> Bool {
    let status = try SystemCall.status(of: file.number)
    guard let named = try? SystemCall.status(at: folder.number, name) else { return false }
    return named.isSameFile(as: status)
  }

  /// Says in the file who holds it.
  static func introduce(_ file: File, _ started: String) throws(SystemError) {
    let text = Array("\(getpid()) \(hostName()) \(started)\n".utf8)
    try SystemCall.truncate(file.number, to: 0)
    try text.withUnsafeBufferPointer { bytes throws(SystemError) in
      try SystemCall.writeAll(file.number, UnsafeRawBufferPointer(bytes), at: 0)
    }
  }

  private static func hostName() -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, 255) == 0 else { return "unknown" }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty || name.contains(" ") ? "unknown" : name
  }

  static func holder(_ descriptor: Int32) -> Holder {
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
      guard let count = try? SystemCall.read(descriptor, into: buffer, at: 0) else { return Holder() }
      return Holder(parsing: String(decoding: buffer[..<count], as: UTF8.self))
    }
  }
}

extension RootLock.Holder {
  /// Reads `pid host start`; what is missing stays nil.
  init(parsing text: String) {
    let line = text.prefix { $0 != "\n" }
    let words = line.split(separator: " ", maxSplits: 2)
    processID = words.first.flatMap { Int32($0) }
    host = words.count > 1 ? String(words[1]) : nil
    started = words.count > 2 ? String(words[2]) : nil
  }
}

extension RootLock.Holder: CustomStringConvertible {
  /// `process 4711 on host, started 2026-01-31T03:00:00Z`, as far as it is known.
  package var description: String {
    var text = processID.map { "process \($0)" } ?? "a process that did not give its number"
    if let host { text += " on \(host)" }
    if let started { text += ", started \(started)" }
    return text
  }
}

extension RootLock.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .busy(let holder): return "another run holds the root: \(holder)"
    case .cancelled: return "gave up waiting for the root's lock"
    case .failed(let failure): return failure.description
    }
  }
}
