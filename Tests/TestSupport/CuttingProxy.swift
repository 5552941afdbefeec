// A link that breaks: a TCP relay that does something bad after a given number of bytes. It knows no protocol, so that it
// cuts HTTP/1.1, TLS and HTTP/2 alike, and TLS without its farewell.

import Glibc
import TransferModel

/// Relays connections to a port of this machine. What happens to each is chosen by its number.
package final class CuttingProxy: Sendable {
  /// What becomes of the bytes that the server sends.
  package enum Fate: Sendable {
    case whole
    /// Ends as a process that exits does: the client sees the end of the stream.
    case close(after: Int)
    /// Ends with a reset.
    case reset(after: Int)
    /// Goes silent and keeps the connection.
    case stall(after: Int)
    /// Holds back each piece, in both directions.
    case delay(Duration)
  }

  private let server: RawServer

  /// - Parameter fate: of the connection with that number, counted from 0.
  package init(to upstream: UInt16, _ fate: @escaping @Sendable (Int) -> Fate) throws {
    server = try RawServer { client in
      guard let relay = try? Relay(client, upstream: upstream, fate: fate(client.number)) else { return }
      relay.run()
    }
  }

  package var port: UInt16 { server.port }

  /// Connections accepted so far.
  package var connectionCount: Int { server.connectionCount }

  /// The most connections that were there at the same time.
  package var mostConnections: Int { server.mostConnections }

  /// Resets the connections that there are; later ones are relayed as before.
  package func dropConnections() { server.dropConnections() }

  package func stop() { server.stop() }
}

/// One connection: a thread for each direction.
private final class Relay: Sendable {
  private let client: RawServerConnection
  private let upstream: Int32
  private let fate: CuttingProxy.Fate

  init(_ client: RawServerConnection, upstream port: UInt16, fate: CuttingProxy.Fate) throws {
    self.client = client
    self.fate = fate
    upstream = try LoopbackSocket.connected(port: port, timeout: 60)
  }

  func run() {
    let answers = RawServerThread { [self] in passAnswers() }
    while let bytes = client.readSome() {
      hold()
      guard Self.send(bytes[...], to: upstream) else { break }
    }
    Glibc.shutdown(upstream, Int32(SHUT_RDWR))
    answers.join()
    Glibc.close(upstream)
  }

  private func passAnswers() {
    var passed = 0
    while let bytes = receive() {
      hold()
      let count = min(bytes.count, limit - passed)
      guard client.write(Array(bytes.prefix(count))) else { return }
      passed += count
      if passed == limit { return cut() }
    }
    client.interrupt()
  }

  private var limit: Int {
    switch fate {
    case .whole, .delay: .max
    case .close(let count), .reset(let count), .stall(let count): count
    }
  }

  private func cut() {
    switch fate {
    case .close: client.interrupt()
    case .reset: client.abort()
    // Until the client gives up, which ends the other direction.
    case .stall, .whole, .delay: break
    }
  }

  private func hold() {
    guard case .delay(let duration) = fate else { return }
    usleep(UInt32(duration.inSeconds * 1_000_000))
  }

  private func receive() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      count = max(0, recv(upstream, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
