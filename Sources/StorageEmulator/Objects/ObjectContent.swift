// The bytes of one version of an object, wherever they are.

import Glibc
import LocalFiles
import TransferModel

/// A read-only descriptor, closed with its last owner.
package final class OpenFile: Sendable {
  let descriptor: Int32

  init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// Where the bytes come from. Reading is by position, so that several threads may share one content.
package enum ObjectContent: Sendable {
  case memory([UInt8])
  case file(OpenFile, size: Int64)
  /// Bytes that follow from a seed, for sizes that fit neither memory nor disk.
  case pattern(seed: UInt64, size: Int64)

  var size: Int64 {
    switch self {
    case .memory(let bytes): Int64(bytes.count)
    case .file(_, let size), .pattern(_, let size): size
    }
  }

  /// Reads up to `buffer.count` bytes from `offset`; fewer only at the end. -1 with errno on failure.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = Int(max(0, min(Int64(buffer.count), size - offset)))
    guard count > 0, let base = buffer.baseAddress else { return 0 }
    switch self {
    case .memory(let bytes):
      let part = bytes[Int(offset)..<Int(offset) + count]
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyMemory(from: $0) }
      return count
    case .file(let file, _):
      var done = 0
      while done < count {
        let got = pread(file.descriptor, base + done, count - done, off_t(offset) + off_t(done))
        if got < 0, errno == EINTR { continue }
        if got <= 0 { return got < 0 ? -1 : done }
        done += got
      }
      return done
    case .pattern(let seed, _):
      for index in 0..<count { buffer[index] = Self.patternByte(seed, offset + Int64(index)) }
      return count
    }
  }

  /// The bytes of a part; nil when reading failed or came up short.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    // All empty arrays are one, and filling it with nothing writes to it, whatever other threads do.
    guard count > 0 else { return [] }
    var got = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      got = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      filled = max(0, got)
    }
    return got == count ? bytes : nil
  }

  /// crc32c and md5 of all bytes; empty when they cannot be read, or are a pattern too long to be worth it.
  func digests() -> DigestSet {
    if case .pattern(_, let size) = self, size > 64 << 20 { return DigestSet() }
    guard let digest = try? StreamingDigest([.crc32c, .md5]) else { return DigestSet() }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let got = read(at: offset, into: buffer)
      guard got > 0 else { return DigestSet() }
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      offset += Int64(got)
    }
    return (try? digest.finish()) ?? DigestSet()
  }

  /// One byte of a pattern: a step of splitmix64 for each eight bytes.
  private static func patternByte(_ seed: UInt64, _ offset: Int64) -> UInt8 {
    var word = (seed &+ UInt64(bitPattern: offset >> 3) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return UInt8(truncatingIfNeeded: (word ^ (word >> 31)) >> UInt64((offset & 7) * 8))
  }
}
