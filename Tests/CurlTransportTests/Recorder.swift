// A handler that writes down what it is called with, and a way to wait for it from a test.

import CurlTransport
import Glibc
import TestSupport
import TransferModel

/// What an exchange delivered.
struct Observed: Sendable {
  var head: HTTPResponseHead?
  var body: [UInt8] = []
  /// `head`, `bytes`, `end`, with repeated `bytes` written once.
  var events: [String] = []
  var end: ExchangeEnd?

  var text: String { String(decoding: body, as: UTF8.self) }

  /// `complete`, `aborted`, `cancelled`, or the fault's kind.
  var outcome: String {
    switch end?.result {
    case .complete: "complete"
    case .aborted: "aborted"
    case .cancelled: "cancelled"
    case .failed(let fault): fault.kind.rawValue
    case nil: "no end"
    }
  }
}

/// What the recorder does besides writing down; called on the loop's thread.
struct Script: Sendable {
  var onHead: @Sendable (Recorder, any TransferLoop) -> BodyVerdict = { _, _ in .proceed }
  var onBytes: @Sendable (Recorder, any TransferLoop) -> BodyVerdict = { _, _ in .proceed }
  var onEnd: @Sendable (Recorder, any TransferLoop) -> Void = { _, _ in }
  /// After the exchange was started.
  var onStart: @Sendable (Recorder, any TransferLoop) -> Void = { _, _ in }
}

final class Recorder: ExchangeHandler {
  private(set) var observed = Observed()
  var id = ExchangeID(0)
  private let script: Script
  private let done: (Observed) -> Void

  init(_ script: Script = Script(), done: @escaping (Observed) -> Void = { _ in }) {
    self.script = script
    self.done = done
  }

  func exchangeDidReceive(_ head: HTTPResponseHead, on loop: any TransferLoop) -> BodyVerdict {
    observed.head = head
    observed.events.append("head")
    return script.onHead(self, loop)
  }

  func exchangeDidReceive(_ bytes: UnsafeRawBufferPointer, on loop: any TransferLoop) -> BodyVerdict {
    observed.body.append(contentsOf: bytes)
    if observed.events.last != "bytes" { observed.events.append("bytes") }
    return script.onBytes(self, loop)
  }

  func exchangeDidEnd(_ end: ExchangeEnd, on loop: any TransferLoop) {
    observed.events.append("end")
    observed.end = end
    script.onEnd(self, loop)
    done(observed)
  }
}

extension CurlTransport {
  /// Runs one exchange and gives what was delivered.
  func observe(_ request: HTTPRequest, onLoop index: Int = 0, _ script: Script = Script()) async -> Observed {
    await withCheckedContinuation { continuation in
      run(onLoop: index) { loop in
        let recorder = Recorder(script) { continuation.resume(returning: $0) }
        recorder.id = loop.start(request, delivering: recorder)
        script.onStart(recorder, loop)
      }
    }
  }

  /// Runs `body` on a loop and gives its result.
  func onLoop<Result: Sendable>(
    _ index: Int = 0, _ body: @escaping @Sendable (any TransferLoop) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      run(onLoop: index) { continuation.resume(returning: body($0)) }
    }
  }
}

/// A transport with a server, both ended when `body` is done.
func withServer(
  loops: Int = 1, slots: Int = 32, perHost: Int = 16, hosts: [Origin: CurlTransport.HostConnection] = [:],
  serving serve: @escaping @Sendable (RawServerConnection) -> Void,
  _ body: (CurlTransport, RawServer) async throws -> Void
) async throws {
  let server = try RawServer(serve)
  defer { server.stop() }
  let transport = try CurlTransport(
    CurlTransport.Configuration(
      userAgent: "mirror/test", loopCount: loops, slotsPerLoop: slots, connectionsPerHost: perHost, hosts: hosts))
  defer { transport.shutdown() }
  try await body(transport, server)
}

/// Answers every request of a connection with the same bytes.
func answering(_ response: String) -> @Sendable (RawServerConnection) -> Void {
  { connection in
    while connection.readRequest() != nil { connection.write(response) }
  }
}

/// Answers the first request with these bytes and closes.
func answeringOnce(_ response: String) -> @Sendable (RawServerConnection) -> Void {
  { connection in
    if connection.readRequest() != nil { connection.write(response) }
  }
}

/// A response with a length.
func ok(_ body: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }

/// Values collected from several threads.
final class Collected<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// Closed until it is opened; for threads that a test holds back. Gives up after 5 seconds, so that a broken test ends.
final class Gate: Sendable {
  private let isOpen = Lock(false)

  func open() { isOpen.withLock { $0 = true } }

  func wait() {
    for _ in 0..<5_000 where !isOpen.withLock({ $0 }) { usleep(1_000) }
  }
}

/// A request that a busy machine cannot make stall: for exchanges that a test ends itself.
func patient(_ url: HTTPURL) -> HTTPRequest {
  HTTPRequest(.get, url, timeouts: TransferTimeouts(connect: .seconds(600), idle: .seconds(600), minimumRate: 0))
}
