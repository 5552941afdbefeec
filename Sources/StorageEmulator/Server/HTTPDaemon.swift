// The HTTP server: libmicrohttpd with a pool of threads, each with its own epoll. What the library calls is
// `DaemonCallbacks`.

import CMicroHTTPD
import Glibc

/// A running daemon; it listens from `init` until `stop`.
final class HTTPDaemon: Sendable {
  let port: UInt16
  private let callbacks: DaemonCallbacks
  /// Used once after `init`: by `stop`, which its owner calls once.
  private nonisolated(unsafe) let handle: OpaquePointer

  init(
    host: String, port: UInt16, threads: Int, responder: @escaping DaemonCallbacks.Responder
  ) throws(EmulatorFailure) {
    guard let workers = Workers() else { throw EmulatorFailure("cannot open a pipe", errno: errno) }
    let callbacks = DaemonCallbacks(workers: workers, responder: responder)
    // The library keeps the callbacks unretained; `stop` joins its threads while this object still owns them.
    let context = Unmanaged.passUnretained(callbacks).toOpaque()
    var started: OpaquePointer?
    var problem: Int32 = 0
    try Self.withAddress(host, port) { address in
      started = mirror_mhd_start(
        address, UInt32(threads), 64 << 10, 4_000, context,
        { context, connection, _, method, _, upload, uploadSize, request in
          DaemonCallbacks.from(context).handle(connection, method, upload, uploadSize, request)
        },
        { context, target, connection in DaemonCallbacks.from(context).begin(target, connection) },
        { _, _, request, _ in DaemonCallbacks.end(request) },
        { context, connection, record, code in DaemonCallbacks.from(context).notify(record, code) })
      problem = errno
    }
    guard let started else {
      throw EmulatorFailure("cannot listen on \(host) port \(port)", errno: problem)
    }
    handle = started
    self.callbacks = callbacks
    self.port = mirror_mhd_port(started)
  }

  /// Ends all connections and waits until no callback runs any more.
  func stop() {
    // The library wants no connection suspended when it stops.
    callbacks.workers.stop()
    MHD_stop_daemon(handle)
  }

  private static func withAddress(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>) -> Void
  ) throws(EmulatorFailure) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // One family: a name such as localhost that has both means IPv4 here.
    hints.ai_family = host.contains(":") ? AF_INET6 : AF_INET
    var found: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, String(port), &hints, &found)
    guard result == 0, let found, let address = found.pointee.ai_addr else {
      throw EmulatorFailure("cannot listen on '\(host)': \(String(cString: gai_strerror(result)))")
    }
    defer { freeaddrinfo(found) }
    body(address)
  }
}
