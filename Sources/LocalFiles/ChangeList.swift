// Which destinations changed that nobody was told of yet. What counts as a change, and telling of it, is `MirrorEngine`'s.

import Glibc
package import TransferModel

/// A file beside the state: one destination after another, each with a NUL behind it, as xargs(1) reads it with `-0`.
///
/// It outlives runs: what a run changed that failed otherwise, was killed, or could not tell of it, the next one that ends
/// well tells of. A destination is put down before its row goes to the state, so that a run that is killed in between
/// leaves one too many and never one too few. Any thread.
package final class ChangeList: Sendable {
  package let path: String
  private let descriptor: FileDescriptor

  /// The list of a run that has the root alone.
  package static let name = "changed"

  /// Throws a failure of class `local` when the file cannot be made or written to; so do the others.
  package init(in folder: String, name: String = ChangeList.name) throws(TransferFailure) {
    let path = "\(folder)/\(name)"
    self.path = path
    descriptor = try Self.attempt("keep the list of changes", path) { () throws(SystemError) in
      try SystemCall.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o666)
    }
  }

  package func note(_ destinations: [RelativePath]) throws(TransferFailure) {
    guard !destinations.isEmpty else { return }
    var bytes: [UInt8] = []
    for destination in destinations {
      bytes += destination.text.utf8
      bytes.append(0)
    }
    try append(bytes)
  }

  private func append(_ bytes: [UInt8]) throws(TransferFailure) {
    try Self.attempt("write the list of changes", path) { () throws(SystemError) in
      try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
        try SystemCall.writeAll(descriptor.rawValue, UnsafeRawBufferPointer(bytes))
      }
    }
  }

  /// Takes over what another list says, if there is one, and removes that. Interrupted in between, it is said twice.
  package func takeOver(_ other: String) throws(TransferFailure) {
    let bytes: [UInt8]
    do throws(TransferFailure) {
      bytes = try WholeFile.read(other, limit: ByteCount(.max))
    } catch {
      if error.reason == .notFound || error.errno == ENOENT { return }
      throw error
    }
    try append(bytes)
    guard unlink(other) == 0 || errno == ENOENT else {
      throw SystemError(errno: errno, operation: "remove", path: other).failure
    }
  }

  /// How many destinations wait to be told of.
  package func count() throws(TransferFailure) -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    return try Self.attempt("read the list of changes", path) { () throws(SystemError) in
      var (count, offset) = (0, 0)
      while true {
        let read = try SystemCall.read(descriptor.rawValue, into: buffer, at: Int64(offset))
        guard read > 0 else { return count }
        count += buffer[..<read].count { $0 == 0 }
        offset += read
      }
    }
  }

  /// Gives a descriptor that reads the list from its beginning.
  package func withReader<Value>(_ body: (Int32) throws(TransferFailure) -> Value) throws(TransferFailure) -> Value {
    let reader = try Self.attempt("read the list of changes", path) { () throws(SystemError) in
      try SystemCall.open(path, O_RDONLY | O_NOFOLLOW)
    }
    return try body(reader.rawValue)
  }

  /// All that was noted has been told.
  package func clear() throws(TransferFailure) {
    try Self.attempt("empty the list of changes", path) { () throws(SystemError) in
      try SystemCall.truncate(descriptor.rawValue, to: 0)
    }
  }

  private static func attempt<Value: ~Copyable>(
    _ operation: String, _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(TransferFailure) -> Value {
    do {
      return try body()
    } catch {
      throw SystemError(errno: error.errno, operation: operation, path: path).failure
    }
  }
}
