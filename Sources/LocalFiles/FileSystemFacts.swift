// What a file system can hold and how it takes names. Facts only; what follows from them is the planner's business.

import Glibc
package import TransferModel

/// Facts about the file system of one root.
///
/// Sendable: the answer that costs a file (`foldsCase`) is kept under a `Lock`.
package final class FileSystemFacts: Sendable {
  /// Room for an unprivileged user.
  package struct Space: Hashable, Sendable {
    /// In bytes.
    package var free: Int64
    /// nil where the file system has no fixed number of inodes (btrfs).
    package var freeInodes: Int64?
  }

  private let root: RootDirectory
  private let folding = Lock<Bool?>(nil)

  package init(_ root: RootDirectory) { self.root = root }

  /// The room that is left now.
  package func space() throws(TransferFailure) -> Space {
    let record: statvfs
    do {
      record = try SystemCall.space(of: root.descriptor.rawValue)
    } catch {
      throw error.at(root.path).failure
    }
    let (free, overflow) = Int64(clamping: record.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: record.f_frsize))
    return Space(
      free: overflow ? .max : free, freeInodes: record.f_files == 0 ? nil : Int64(clamping: record.f_favail))
  }

  /// Whether `A` and `a` are one name in the root. Found out once, by making a file and looking for its other case.
  package func foldsCase() throws(TransferFailure) -> Bool {
    if let known = folding.withLock({ $0 }) { return known }
    do {
      let answer = try Self.probe(root.descriptor.rawValue)
      folding.withLock { $0 = answer }
      return answer
    } catch {
      throw error.at(root.path).failure
    }
  }

  private static func probe(_ directory: Int32) throws(SystemError) -> Bool {
    let name = TemporaryName.unique()
    _ = try SystemCall.open(at: directory, name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    defer { try? SystemCall.unlink(at: directory, name) }
    do {
      _ = try SystemCall.status(at: directory, name.uppercased())
      return true
    } catch  where error.errno == ENOENT {
      return false
    }
  }

  /// The process's umask when it was first asked for; a program that changes it later is not followed.
  package static let umask: UInt16 = currentUmask() ?? 0o022

  /// The umask now, from /proc: umask(2) can only tell it by changing it, which other threads would see. nil where
  /// /proc is not mounted.
  package static func currentUmask() -> UInt16? {
    guard let file = try? SystemCall.open("/proc/self/status", O_RDONLY) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      guard let count = try? SystemCall.read(file.rawValue, into: buffer) else { return nil }
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("Umask:") {
        return UInt16(line.dropFirst(6).drop { $0 == " " || $0 == "\t" }, radix: 8)
      }
      return nil
    }
  }
}
