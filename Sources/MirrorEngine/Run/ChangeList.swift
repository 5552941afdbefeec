// Which destinations changed that nobody was told of yet. Telling is `ChangeHook`.

import Glibc
import MirrorPlan
import TransferModel

/// A file beside the state: one destination after another, each with a NUL behind it, as xargs(1) reads it with `-0`.
///
/// It outlives runs: what a run changed that failed otherwise, was killed, or could not tell of it, the next one that ends
/// well tells of. A destination is put down before its row goes to the state, so that a run that is killed in between
/// leaves one too many and never one too few. Any thread.
final class ChangeList: Sendable {
  let path: String
  private let descriptor: Int32

  /// Throws when the file cannot be made or written to.
  init(in folder: String) throws(TransferFailure) {
    path = folder + "/changed"
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw Self.failure("keep the list of changes", path, errno) }
  }

  deinit { close(descriptor) }

  func note(_ destinations: [RelativePath]) throws(TransferFailure) {
    guard !destinations.isEmpty else { return }
    var bytes: [UInt8] = []
    for destination in destinations {
      bytes += destination.text.utf8
      bytes.append(0)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("write the list of changes", path, errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// How many destinations wait to be told of.
  func count() throws(TransferFailure) -> Int {
    var count = 0
    var offset = 0
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let read = pread(descriptor, &buffer, buffer.count, off_t(offset))
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw Self.failure("read the list of changes", path, errno) }
      guard read > 0 else { return count }
      count += buffer[..<read].count { $0 == 0 }
      offset += read
    }
  }

  /// Gives a descriptor that reads the list from its beginning.
  func withReader<Value>(_ body: (Int32) throws(TransferFailure) -> Value) throws(TransferFailure) -> Value {
    let reader = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard reader >= 0 else { throw Self.failure("read the list of changes", path, errno) }
    defer { close(reader) }
    return try body(reader)
  }

  /// All that was noted has been told.
  func clear() throws(TransferFailure) {
    guard ftruncate(descriptor, 0) == 0 else { throw Self.failure("empty the list of changes", path, errno) }
  }

  private static func failure(_ operation: String, _ path: String, _ number: Int32) -> TransferFailure {
    TransferFailure(
      SQLiteError.reason(forSystemError: number), .local,
      "cannot \(operation) \(path): \(String(cString: strerror(number)))",
      hint: "Give the disk room and the user the right to write there, then run again.", errno: number)
  }
}
