// A TCP server for tests that need the exact bytes: broken framing, cut bodies, resets, silence. It speaks no HTTP by
// itself; the test's closure writes whatever it wants. For well-behaved answers there is the storage emulator.

import Glibc
package import TransferModel

/// Listens on a free port of the loopback address and runs `serve` for each connection, each on a thread of its own.
/// The connection is closed when `serve` returns.
package final class RawServer: Sendable {
  private struct State {
    var connections: [RawServerConnection] = []
    var threads: [RawServerThread] = []
    var isStopping = false
    /// Connections that are being served, and the most that were at the same time.
    var open = 0
    var mostOpen = 0
  }

  package let port: UInt16
  private let listener: Int32
  private let state = Lock(State())
  private let accepting = Lock<RawServerThread?>(nil)

  package struct SetupFailure: Error {
    let call: String
    let error: Int32
  }

  package init(_ serve: @escaping @Sendable (RawServerConnection) -> Void) throws {
    signal(SIGPIPE, SIG_IGN)
    (listener, port) = try Self.listen()
    let thread = RawServerThread { [self] in
      while let connection = acceptOne() {
        let thread = RawServerThread { [self] in
          serve(connection)
          connection.close()
          state.withLock { $0.open -= 1 }
        }
        state.withLock { $0.threads.append(thread) }
      }
    }
    accepting.withLock { $0 = thread }
  }

  /// `http://127.0.0.1:PORT` with this path and query.
  package func url(_ path: String = "/", userInfo: String? = nil) -> HTTPURL {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return HTTPURL(
      origin: Origin(scheme: .http, host: "127.0.0.1", port: port), userInfo: userInfo, path: String(parts[0]),
      query: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Connections accepted so far.
  package var connectionCount: Int { state.withLock { $0.connections.count } }

  /// The most connections that were there at the same time.
  package var mostConnections: Int { state.withLock { $0.mostOpen } }

  /// Breaks off the connections that there are; later ones are served as before.
  package func dropConnections() {
    for connection in state.withLock({ $0.connections }) { connection.abort() }
  }

  /// Closes everything and waits for the threads. To be called before the server is let go.
  package func stop() {
    let connections = state.withLock { state in
      state.isStopping = true
      return state.connections
    }
    Glibc.shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections { connection.interrupt() }
    accepting.withLock { thread in
      thread?.join()
      thread = nil
    }
    let threads = state.withLock { state in
      defer { state.threads = [] }
      return state.threads
    }
    for thread in threads { thread.join() }
    Glibc.close(listener)
  }

  private func acceptOne() -> RawServerConnection? {
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    return state.withLock { state in
      let connection = RawServerConnection(descriptor, number: state.connections.count)
      state.connections.append(connection)
      state.open += 1
      state.mostOpen = max(state.mostOpen, state.open)
      if state.isStopping { connection.interrupt() }
      return connection
    }
  }

  private static func listen() throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SetupFailure(call: "socket", error: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard result else {
      defer { Glibc.close(descriptor) }
      throw SetupFailure(call: "bind or listen", error: errno)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
