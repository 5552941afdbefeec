// One connection of `RawServer`: reads requests, writes bytes.

import Glibc
import TransferModel

/// Used by the thread that serves it; `interrupt` may come from another.
package final class RawServerConnection: Sendable {
  private struct State {
    var descriptor: Int32
    var unread: [UInt8] = []
  }

  /// 0 for the server's first connection.
  package let number: Int
  private let state: Lock<State>

  init(_ descriptor: Int32, number: Int) {
    self.number = number
    state = Lock(State(descriptor: descriptor))
  }

  private var descriptor: Int32 { state.withLock { $0.descriptor } }

  /// The next request with its body; nil when the client has closed.
  package func readRequest() -> RawServerRequest? {
    var bytes = state.withLock { state in
      defer { state.unread = [] }
      return state.unread
    }
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let head = Self.position(of: end, in: bytes, from: searched) {
        let length = RawServerRequest(head: bytes[..<head], body: []).contentLength
        while bytes.count < head + 4 + length {
          guard let more = readSome() else { return nil }
          bytes += more
        }
        state.withLock { $0.unread = Array(bytes[(head + 4 + length)...]) }
        return RawServerRequest(head: bytes[..<head], body: Array(bytes[(head + 4)..<(head + 4 + length)]))
      }
      searched = max(0, bytes.count - 3)
      guard let more = readSome() else { return nil }
      bytes += more
    }
  }

  /// Returns when the client has closed, or the server is stopped.
  package func waitForClose() {
    while readSome() != nil {}
  }

  /// False when the client is gone.
  @discardableResult
  package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  package func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      Glibc.close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// Closes so that the client gets a reset.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Makes the client get a reset while another thread may still be reading here: `AF_UNSPEC` breaks the connection off
  /// (connect(2)), and the blocked read returns.
  func abort() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(state.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      Glibc.connect(state.descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
      Glibc.shutdown(state.descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Makes every blocked read and write return.
  func interrupt() {
    state.withLock { state in
      if state.descriptor >= 0 { Glibc.shutdown(state.descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Whatever has come, at most 64 KiB; waits for the first byte. nil when the client has closed.
  package func readSome() -> [UInt8]? {
    let descriptor = descriptor
    guard descriptor >= 0 else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  private static func position(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= mark.count else { return nil }
    return (start...(bytes.count - mark.count)).first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
  }
}

/// A request as it came over the wire.
package struct RawServerRequest: Sendable {
  /// Without line ends.
  package let lines: [String]
  package let body: [UInt8]

  init(head: ArraySlice<UInt8>, body: [UInt8]) {
    lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
      .map(String.init)
    self.body = body
  }

  package var method: String { part(0) }
  /// As written in the request line.
  package var target: String { part(1) }

  /// The first field of that name.
  package func field(_ name: String) -> String? {
    let start = name.lowercased() + ":"
    guard let line = lines.dropFirst().first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
    return String(line.dropFirst(start.count).drop { $0 == " " })
  }

  var contentLength: Int { field("Content-Length").flatMap { Int($0) } ?? 0 }

  private func part(_ index: Int) -> String {
    let parts = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
    return index < parts.count ? String(parts[index]) : ""
  }
}
