// The names of files that are not finished. They always have 29 bytes, whatever the user's name is, and no user name
// can be one: `RelativePath` refuses components that begin with `.mirror-`.

import CCrypto
import Glibc
package import TransferModel

/// Makes and recognises `.mirror-<16 hex digits>.part`.
package enum TemporaryName {
  /// The name of the part file of a destination: the same in every run, so that a later one finds it. The digits are
  /// the first 8 bytes of the path's sha256, so that nobody can choose two names in one folder that share a part file.
  package static func part(for destination: RelativePath) -> String {
    name(stableHash(destination.text))
  }

  /// A name that no one else uses now, for a file that will never be continued.
  static func unique() -> String {
    let number = counter.withLock { count in
      count += 1
      return count
    }
    // One-to-one, so that no two numbers of a process share a name.
    return name(BitMixer.scattered(process &+ number &* BitMixer.increment))
  }

  /// Whether a directory entry is one of ours: unfinished, and left over if nobody has it locked.
  package static func matches(_ name: some Collection<UInt8>) -> Bool {
    guard name.starts(with: prefix.utf8), name.count == prefix.utf8.count + 16 + suffix.utf8.count else { return false }
    let rest = name.dropFirst(prefix.utf8.count)
    return rest.dropFirst(16).elementsEqual(suffix.utf8)
      && rest.prefix(16).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  static let prefix = ".mirror-"
  static let suffix = ".part"

  private static let counter = Lock<UInt64>(0)

  /// Tells this process from all others, also from an earlier one with the same number.
  private static let process: UInt64 = {
    var now = timespec()
    let seed = clock_gettime(CLOCK_REALTIME, &now) == 0 ? UInt64(now.tv_nsec) : UInt64.random(in: 0...UInt64.max)
    return stableHash("\(getpid()) \(now.tv_sec) \(seed)")
  }()

  private static func name(_ value: UInt64) -> String {
    String(unsafeUninitializedCapacity: prefix.utf8.count + 16 + suffix.utf8.count) { buffer in
      var end = 0
      for byte in prefix.utf8 { (buffer[end], end) = (byte, end + 1) }
      for shift in stride(from: UInt64(60), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: value >> shift) & 15
        buffer[end] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        end += 1
      }
      for byte in suffix.utf8 { (buffer[end], end) = (byte, end + 1) }
      return end
    }
  }

  private static func stableHash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { bytes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
        guard SHA256(bytes.baseAddress, bytes.count, digest.baseAddress) != nil else { return fnv1a(bytes) }
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      }
    }
  }

  /// For an OpenSSL that will not hash: FNV-1a, as stable, easier to collide.
  private static func fnv1a(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
