// Reads small files that the user named: manifests, placeholders. What lies below a root is read by `FileHash`.

import Glibc
package import TransferModel

package enum WholeFile {
  /// The bytes of a file, or of standard input for descriptor paths such as `/dev/stdin`; follows links, as the path is the
  /// user's own word. Throws `size_limit_exceeded` beyond `limit`, and what opening and reading throw.
  package static func read(_ path: String, limit: ByteCount) throws(TransferFailure) -> [UInt8] {
    do {
      let file = try SystemCall.open(path, O_RDONLY)
      return try read(file.rawValue, path: path, limit: limit)
    } catch {
      var failure = error.at(path).failure
      if error.errno == ENOENT { failure.hint = "Check the path." }
      throw failure
    }
  }

  /// The first bytes of a file, at most `count`. A link is not followed, and a pipe is not waited for.
  package static func readBeginning(_ path: String, _ count: Int) throws(TransferFailure) -> [UInt8] {
    do {
      let file = try SystemCall.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer throws(SystemError) in
        var filled = 0
        while filled < count {
          let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
          let read = try SystemCall.read(file.rawValue, into: free)
          if read == 0 { break }
          filled += read
        }
        return Array(buffer[..<filled])
      }
    } catch {
      throw error.at(path).failure
    }
  }

  /// Everything that standard input has.
  package static func readStandardInput(limit: ByteCount) throws(TransferFailure) -> [UInt8] {
    do {
      return try read(0, path: "standard input", limit: limit)
    } catch {
      throw error.at("standard input").failure
    }
  }

  private static func read(_ descriptor: Int32, path: String, limit: ByteCount) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    // Grown by doubling, a long manifest would stand in memory twice for a moment. A pipe has no size.
    let status = try SystemCall.status(of: descriptor)
    if status.kind == .file { bytes.reserveCapacity(Int(min(status.stamp.size, limit.bytes))) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try SystemCall.read(descriptor, into: buffer)
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard Int64(bytes.count) <= limit.bytes else {
        throw SystemError(errno: EFBIG, operation: "read more than \(limit) of", path: path)
      }
    }
  }
}
