// Destinations in a file beside the state, for what must not be lost with a run that is killed. What they are noted for is
// `MirrorEngine`'s.

import Glibc
package import TransferModel

/// One destination after another, each with a NUL behind it, as xargs(1) reads it with `-0`.
///
/// It outlives runs. A destination is put down before what it is noted for is done or recorded, so that a run that is killed
/// in between leaves one too many and never one too few. Any thread.
package final class DestinationList: Sendable {
  package let path: String
  private let descriptor: FileDescriptor

  /// Throws a failure of class `local` when the file cannot be made or written to; so do the others.
  package init(in folder: String, name: String) throws(TransferFailure) {
    let path = "\(folder)/\(name)"
    self.path = path
    descriptor = try Self.attempt("keep a list", path) { () throws(SystemError) in
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
    try Self.attempt("write a list", path) { () throws(SystemError) in
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

  /// How many destinations are noted, each as often as it is.
  package func count() throws(TransferFailure) -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    return try Self.attempt("read a list", path) { () throws(SystemError) in
      var (count, offset) = (0, 0)
      while true {
        let read = try SystemCall.read(descriptor.rawValue, into: buffer, at: Int64(offset))
        guard read > 0 else { return count }
        count += buffer[..<read].count { $0 == 0 }
        offset += read
      }
    }
  }

  /// Calls `body` with what is noted, some thousand destinations at a time. What is no destination is left out.
  package func forEachBatch(
    _ body: ([RelativePath]) throws(TransferFailure) -> Void
  ) throws(TransferFailure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    var rest: [UInt8] = []
    var offset: Int64 = 0
    while true {
      let count = try Self.attempt("read a list", path) { () throws(SystemError) in
        try SystemCall.read(descriptor.rawValue, into: buffer, at: offset)
      }
      guard count > 0 else { return }
      offset += Int64(count)
      rest.append(contentsOf: buffer[..<count])
      let end = rest.lastIndex(of: 0).map { $0 + 1 } ?? 0
      let whole = rest[..<end].split(separator: 0)
      try body(whole.compactMap { name in String(validating: name, as: UTF8.self).flatMap { try? RelativePath($0) } })
      rest.removeFirst(end)
    }
  }

  /// Gives a descriptor that reads the list from its beginning.
  package func withReader<Value>(_ body: (Int32) throws(TransferFailure) -> Value) throws(TransferFailure) -> Value {
    let reader = try Self.attempt("read a list", path) { () throws(SystemError) in
      try SystemCall.open(path, O_RDONLY | O_NOFOLLOW)
    }
    return try body(reader.rawValue)
  }

  /// All that was noted has been seen to.
  package func clear() throws(TransferFailure) {
    try Self.attempt("empty a list", path) { () throws(SystemError) in
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
