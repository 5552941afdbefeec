// An address that never answers, without any network: a listener on ::1 whose queue is full, so that the kernel drops what
// asks for more.

import Glibc

/// Takes the place of a broken IPv6 route for one port. Freed with the value.
package final class BlackHole: Sendable {
  private let listener: Int32
  private let callers: [Int32]

  /// - Throws: `SystemError` where there is no IPv6 on loopback, or the port is taken there.
  package init(port: UInt16) throws {
    let listener = try Self.socket()
    self.listener = listener
    // One fills a queue of length 0; the others find out for us that it is full.
    callers = (0..<4).compactMap { _ in try? Self.socket() }
    var only: Int32 = 1
    setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
    guard Self.call(port, { bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else {
      throw SystemError("listen on ::1")
    }
    for caller in callers {
      _ = fcntl(caller, F_SETFL, O_NONBLOCK)
      _ = Self.call(port, { connect(caller, $0, $1) })
    }
  }

  deinit { ([listener] + callers).forEach { close($0) } }

  /// Whether this machine can have one.
  package static let isAvailable: Bool = {
    guard let port = try? LoopbackSocket.freePort() else { return false }
    return (try? BlackHole(port: port)) != nil
  }()

  private static func socket() throws -> Int32 {
    let descriptor = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("make a socket of IPv6") }
    return descriptor
  }

  private static func call(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }
}
