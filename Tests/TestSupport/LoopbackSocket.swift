// Plain sockets on this machine: a free port, and one request without any of our own client code.

import Glibc

/// Loopback TCP over IPv4.
package enum LoopbackSocket {
  /// A port that was free a moment ago. Another process may take it; servers that are started on it try again.
  package static func freePort() throws -> UInt16 {
    let descriptor = try make()
    defer { close(descriptor) }
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, length) == 0 ? getsockname(descriptor, raw, &length) : -1
      }
    }
    guard code == 0 else { throw SystemError("find a free port") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Whether something accepts connections there.
  package static func accepts(port: UInt16) -> Bool {
    guard let descriptor = try? connected(port: port) else { return false }
    close(descriptor)
    return true
  }

  /// A connected, blocking socket; reads and writes give up after `timeout` seconds.
  package static func connected(port: UInt16, timeout: Int = 5) throws -> Int32 {
    let descriptor = try make()
    var wait = timeval(tv_sec: timeout, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
    var address = address(port: port)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let error = SystemError("connect to port \(port)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func make() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("make a socket") }
    return descriptor
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
