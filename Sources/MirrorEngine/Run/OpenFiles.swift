// How many files this process may have open, and what follows for the number of transfers. A run fits itself to the limit
// before it begins, because a limit that is met in the middle costs a failed run.

import Glibc

/// A share-out of the limit on open files (`ulimit -n`).
package struct OpenFiles: Hashable, Sendable {
  /// Transfers at the same time, at least 1: each has a file and two connections, one of them kept for the next.
  package let transfers: Int
  /// Directories that are kept open, at least 4.
  package let directories: Int

  /// What is open whatever a run does: standard streams, the root, its lock, state, report, wake-ups of the loops, name
  /// lookups.
  private static let standing = 28

  /// - Parameter limit: how many files may be open.
  package init(limit: Int) {
    let free = max(0, limit - Self.standing)
    directories = max(4, min(256, free / 4))
    transfers = max(1, (free - directories) / 3)
  }

  /// Raises this process's soft limit to its hard one, as any process may, and shares out what there is then.
  package static func raised() -> OpenFiles {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return OpenFiles(limit: 1_024) }
    if limit.rlim_cur < limit.rlim_max {
      var higher = limit
      // More than that is never used, and `poll` would have to look at it.
      higher.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 65_536))
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &higher) == 0 { limit = higher }
    }
    return OpenFiles(limit: Int(clamping: limit.rlim_cur))
  }
}
