// One run per root at a time. The lock is the kernel's, on an open file: it ends with the process, however that ends,
// so a lock file that lies there means nothing (P66). The text in it only tells others whom they are waiting for.

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

  private let descriptor: FileDescriptor

  private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  deinit { SystemCall.unlock(descriptor.rawValue) }

  /// Takes the lock, or says who has it.
  ///
  /// - started: when this run began, as text for others to read.
  /// - wait: how long to try; default zero = once. Waiting is polling, four times a second.
  /// - pause: waits for a time; returning false gives up with `cancelled`. Called on the calling thread.
  package static func acquire(
    _ root: RootDirectory, started: String, wait: Duration = .zero, pause: (Duration) -> Bool
  ) throws(Failure) -> RootLock {
    let step = Duration.milliseconds(250)
    var left = wait
    while true {
      let attempt: Attempt
      do {
        attempt = try attemptOnce(root, started)
      } catch {
        throw .failed(error.at("\(root.path)/\(directoryName)/\(fileName)").failure)
      }
      switch attempt {
      case .taken(let lock): return lock
      case .held(let holder):
        guard left > .zero else { throw .busy(holder) }
        guard pause(min(step, left)) else { throw .cancelled }
        left -= step
      }
    }
  }

  private enum Attempt {
    case taken(RootLock)
    case held(Holder)
  }

  /// mirror's own folder below the root, and the lock file in it.
  package static let directoryName = ".mirror"
  static let fileName = "lock"

  private static func attemptOnce(_ root: RootDirectory, _ started: String) throws(SystemError) -> Attempt {
    do {
      try SystemCall.makeDirectory(at: root.descriptor.rawValue, directoryName)
    } catch {
      if error.errno != EEXIST { throw error }
    }
    let folder = try root.openDirectory(directoryName)
    while true {
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW
      let descriptor = try SystemCall.open(at: folder.number, fileName, flags, mode: 0o644)
      guard try SystemCall.tryLock(descriptor.rawValue) else { return .held(holder(descriptor.rawValue)) }
      // Whoever removes `.mirror` while we open the file leaves us with a lock that no one else will ever see.
      let status = try SystemCall.status(of: descriptor.rawValue)
      guard let named = try? SystemCall.status(at: folder.number, fileName), named.isSameFile(as: status) else {
        continue
      }
      let text = Array("\(getpid()) \(hostName()) \(started)\n".utf8)
      try SystemCall.truncate(descriptor.rawValue, to: 0)
      try text.withUnsafeBufferPointer { bytes throws(SystemError) in
        try SystemCall.writeAll(descriptor.rawValue, UnsafeRawBufferPointer(bytes), at: 0)
      }
      return .taken(RootLock(descriptor))
    }
  }

  private static func hostName() -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, 255) == 0 else { return "unknown" }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty || name.contains(" ") ? "unknown" : name
  }

  private static func holder(_ descriptor: Int32) -> Holder {
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
