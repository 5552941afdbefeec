// A memory cgroup of version 1, where the machine has them mounted and lets us make one.

import Glibc
import TestSupport

/// Removed with the value, once its processes have ended.
final class MemoryGroup: Sendable {
  let path: String

  init(limit: Int) throws {
    path = "/sys/fs/cgroup/memory/mirror-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    guard mkdir(path, 0o755) == 0 else { throw SystemError("make a memory cgroup") }
    let file = open(path + "/memory.limit_in_bytes", O_WRONLY)
    defer { if file >= 0 { close(file) } }
    let text = Array("\(limit)\n".utf8)
    guard file >= 0, write(file, text, text.count) == text.count else {
      rmdir(path)
      throw SystemError("limit a memory cgroup")
    }
  }

  deinit { rmdir(path) }

  static let isAvailable: Bool = (try? MemoryGroup(limit: 64 << 20)) != nil
}
