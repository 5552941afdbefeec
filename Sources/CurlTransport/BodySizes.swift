// How big the bodies of a host are, so that a body of unknown size gets a receive buffer that fits. Pure.

import TransferModel

/// What the hosts' last bodies weighed. A wrong guess costs some speed, nothing else.
///
/// libcurl 7.88 allocates and frees the receive buffer with every transfer, and freeing one of 512 KiB makes the
/// allocator put its whole heap in order: too dear for bodies of a few KiB.
struct BodySizes {
  /// Bodies of a host before they are gone by.
  static let leastCount = 8
  /// Hosts that are remembered; with more, all are forgotten.
  static let mostHosts = 256

  private struct Host {
    var count = 0
    /// The moving mean, in bytes: each body counts for an eighth.
    var mean: Int64 = 0

    mutating func note(_ bytes: Int64) {
      mean = count == 0 ? bytes : mean + (bytes - mean) / 8
      count = min(count + 1, BodySizes.leastCount)
    }
  }

  private var hosts: [Origin: Host] = [:]

  /// nil while too little is known.
  func expected(from origin: Origin) -> Int64? {
    guard let host = hosts[origin], host.count >= Self.leastCount else { return nil }
    return host.mean
  }

  mutating func note(_ bytes: Int64, from origin: Origin) {
    if hosts.count >= Self.mostHosts, hosts[origin] == nil { hosts.removeAll() }
    hosts[origin, default: Host()].note(bytes)
  }
}
