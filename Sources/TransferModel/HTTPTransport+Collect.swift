// One exchange as one `async` call, for small answers: listings, metadata, tokens. Not for files, which would cross a
// thread and be held in memory.

/// A response held in memory.
package struct CollectedResponse: Sendable {
  /// nil when no head came.
  package var head: HTTPResponseHead?
  package var body: [UInt8]
  /// `.aborted` when the body was cut.
  package var end: ExchangeEnd
  /// Whether the body was longer than the limit; `body` then holds its first bytes, as many as the limit allows.
  package var bodyWasCut: Bool

  package init(head: HTTPResponseHead?, body: [UInt8], end: ExchangeEnd, bodyWasCut: Bool) {
    self.head = head
    self.body = body
    self.end = end
    self.bodyWasCut = bodyWasCut
  }
}

extension HTTPTransport {
  /// Runs one exchange, with no retry and no redirect, and gives what came. Cancelling the task cancels the exchange;
  /// so does a transport that is shut down, before or meanwhile. Failures are in `end`, so nothing is thrown.
  package func collect(
    _ request: HTTPRequest, limit: ByteCount, onLoop index: Int = 0
  ) async -> CollectedResponse {
    let cancellation = CollectCancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let reply = CollectReply(continuation)
        run(onLoop: index) { loop in
          guard !cancellation.isRequested else {
            return reply.give(
              CollectedResponse(head: nil, body: [], end: ExchangeEnd(result: .cancelled), bodyWasCut: false))
          }
          cancellation.exchange = loop.start(request, delivering: BodyCollector(limit: limit, reply: reply))
        }
      }
    } onCancel: {
      cancellation.request()
      run(onLoop: index) { loop in
        if let exchange = cancellation.exchange { loop.cancel(exchange) }
      }
    }
  }
}

/// Carries a cancellation from the task's thread to the loop's.
private final class CollectCancellation: Sendable {
  private let state = Lock<(isRequested: Bool, exchange: ExchangeID?)>((false, nil))

  var isRequested: Bool { state.withLock { $0.isRequested } }
  var exchange: ExchangeID? {
    get { state.withLock { $0.exchange } }
    set { state.withLock { $0.exchange = newValue } }
  }

  func request() { state.withLock { $0.isRequested = true } }
}

/// Resumes the continuation exactly once: with the response or, when the transport dropped the work, as it goes away.
private final class CollectReply: Sendable {
  private let continuation: Lock<CheckedContinuation<CollectedResponse, Never>?>

  init(_ continuation: CheckedContinuation<CollectedResponse, Never>) { self.continuation = Lock(continuation) }

  deinit { give(CollectedResponse(head: nil, body: [], end: ExchangeEnd(result: .cancelled), bodyWasCut: false)) }

  func give(_ response: CollectedResponse) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: response)
  }
}

/// Lives on the loop's thread.
private final class BodyCollector: ExchangeHandler {
  private let limit: Int
  private let reply: CollectReply
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []
  private var wasCut = false

  init(limit: ByteCount, reply: CollectReply) {
    self.limit = Int(clamping: max(0, limit.bytes))
    self.reply = reply
  }

  func exchangeDidReceive(_ head: HTTPResponseHead, on loop: any TransferLoop) -> BodyVerdict {
    self.head = head
    // A hint of the server's, so it is believed up to a bound.
    if let length = head.contentLength { body.reserveCapacity(min(limit, Int(clamping: length), 1 << 20)) }
    return .proceed
  }

  func exchangeDidReceive(_ bytes: UnsafeRawBufferPointer, on loop: any TransferLoop) -> BodyVerdict {
    let room = limit - body.count
    body.append(contentsOf: bytes.prefix(room))
    guard bytes.count > room else { return .proceed }
    wasCut = true
    return .stop
  }

  func exchangeDidEnd(_ end: ExchangeEnd, on loop: any TransferLoop) {
    reply.give(CollectedResponse(head: head, body: body, end: end, bodyWasCut: wasCut))
  }
}
