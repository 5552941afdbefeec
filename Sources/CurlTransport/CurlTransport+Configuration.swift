// What can be chosen about a transport. What differs from request to request is in `HTTPRequest`.

import Glibc
package import TransferModel

extension CurlTransport {
  package struct Configuration: Sendable {
    /// Threads that carry transfers; at least 1. More than 4 were never measured to help.
    package var loopCount: Int
    /// Exchanges that one loop runs at a time; further ones wait in the order in which they were started.
    package var slotsPerLoop: Int
    /// TCP connections to one host and port **per loop**, so `loopCount` times as many in all. Over HTTP/2 one
    /// connection carries many exchanges.
    package var connectionsPerHost: Int
    /// What `connectionsPerHost` may be raised to while that pays, per loop; it is lowered where a host asks for that. nil =
    /// it stays as it is.
    package var mostConnectionsPerHost: Int?
    /// Sent as `User-Agent` unless a request brings its own.
    package var userAgent: String
    /// A file of trusted certificates in place of the system's. nil = the system's.
    package var caBundlePath: String?
    /// Trusted certificates as PEM text, in place of the system's; wins over `caBundlePath`.
    package var caPEM: [UInt8]?
    /// Hosts that are reached in another way than the rest.
    package var hosts: [Origin: HostConnection]

    package init(
      userAgent: String, loopCount: Int = Configuration.defaultLoopCount, slotsPerLoop: Int = 32,
      connectionsPerHost: Int = 16, mostConnectionsPerHost: Int? = nil, caBundlePath: String? = nil,
      caPEM: [UInt8]? = nil, hosts: [Origin: HostConnection] = [:]
    ) {
      self.userAgent = userAgent
      self.loopCount = max(1, loopCount)
      self.slotsPerLoop = max(1, slotsPerLoop)
      self.connectionsPerHost = max(1, connectionsPerHost)
      self.mostConnectionsPerHost = mostConnectionsPerHost.map { max(connectionsPerHost, $0, 1) }
      self.caBundlePath = caBundlePath
      self.caPEM = caPEM
      self.hosts = hosts
    }

    /// TCP connections to one host that speaks HTTP/2, all loops together, where there are no more loops.
    package static let multiplexedConnections = 4

    /// The number of cores that are online, at most 4.
    package static var defaultLoopCount: Int { min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }
  }
}
