// The seam between whoever wants bytes and whatever brings them. `CurlTransport` is the real one; tests script theirs.
//
// A transport owns one or more threads. Everything about one transfer, from the first request through its retries to the
// renamed file, happens on one of them, so a file crosses no thread on its way: a hop per file was measured to cost more
// than the file.

/// Starts work on the transport's own threads.
package protocol HTTPTransport: AnyObject, Sendable {
  /// The number of threads that carry transfers; at least 1.
  var loopCount: Int { get }

  /// Runs `work` soon on the thread of loop `index` (taken modulo `loopCount`), with that loop. Returns at once; callable
  /// from any thread. After `shutdown` the work is dropped.
  func run(onLoop index: Int, _ work: @escaping @Sendable (any TransferLoop) -> Void)

  /// Ends every running exchange with `.cancelled`, stops the threads and waits for them. Idempotent. Must not be called
  /// from a loop's own thread.
  func shutdown()
}

/// One thread's view of the transport. Not `Sendable`: it is given to closures that run on that thread and must not
/// leave it.
package protocol TransferLoop: AnyObject {
  /// This loop's place in `0 ..< loopCount`.
  var index: Int { get }

  /// The monotonic clock as of now.
  var now: MonotonicInstant { get }

  /// How long this loop's thread has waited for something to happen; good for differences only.
  var idleTime: Duration { get }

  /// How many exchanges this loop would run at the same time, as far as it has learned what its hosts bear; 0 when that is
  /// not for it to choose. It changes while exchanges end.
  var worthRunning: Int { get }

  /// Starts one exchange. `handler` is kept until `exchangeDidEnd` has been called on it, exactly once, later and on
  /// this thread, whatever happens. Redirects are not followed and no content coding is removed.
  @discardableResult
  func start(_ request: HTTPRequest, delivering handler: any ExchangeHandler) -> ExchangeID

  /// Ends the exchange with `.cancelled`; without effect when it has ended already. `exchangeDidEnd` is called before
  /// this returns, unless the call comes from within one of that exchange's own callbacks.
  func cancel(_ exchange: ExchangeID)

  /// Lets a body that was paused by `BodyVerdict.pause` flow again; without effect otherwise.
  func resumeBody(of exchange: ExchangeID)

  /// The host said in words that it is asked too much (Google's 403 with `rateLimitExceeded`). What its statuses say, 429
  /// and 503, the loop has seen by itself.
  func noteOverload(of origin: Origin)

  /// Calls `action` on this thread once `delay` has passed, unless cancelled before.
  @discardableResult
  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID

  /// Without effect when the timer has fired already.
  func cancel(_ timer: TimerID)
}

extension TransferLoop {
  package var worthRunning: Int { 0 }
  package func noteOverload(of origin: Origin) {}
}

package struct ExchangeID: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }
}

package struct TimerID: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }
}

/// What a handler wants to happen with the body that is arriving.
package enum BodyVerdict: Sendable {
  case proceed
  /// These bytes were taken; send no more until `resumeBody(of:)`.
  case pause
  /// Take nothing more and end the exchange with `.aborted`.
  case stop
}

/// The receiver of one exchange. Called on the loop's thread only; order: head, bytes, end; head at most once.
package protocol ExchangeHandler: AnyObject {
  /// The final response's head, before any byte of the body. `loop` is the loop that runs the exchange.
  func exchangeDidReceive(_ head: HTTPResponseHead, on loop: any TransferLoop) -> BodyVerdict

  /// Some bytes of the body, valid during the call only.
  func exchangeDidReceive(_ bytes: UnsafeRawBufferPointer, on loop: any TransferLoop) -> BodyVerdict

  /// Called exactly once, last. The handler may start its next exchange from here.
  func exchangeDidEnd(_ end: ExchangeEnd, on loop: any TransferLoop)
}

/// How an exchange ended.
package struct ExchangeEnd: Sendable {
  package enum Result: Sendable {
    /// The response was received whole, as far as its framing can tell.
    case complete
    /// The handler answered `.stop`.
    case aborted
    case cancelled
    case failed(TransportFault)
  }

  package var result: Result
  /// Body bytes received in this exchange.
  package var bytesReceived: Int64
  /// Whether the end of the body was marked by a length or by chunk framing. False for a body that only the closing of
  /// the connection ended (RFC 9112 section 6.3, rule 8): it may have been cut.
  package var lengthWasFramed: Bool
  /// Whether a body without a marked end came over TLS and ended without TLS's farewell (close_notify): by RFC 9112
  /// section 9.8 the message is incomplete. False where that cannot be told.
  package var lacksTLSFarewell: Bool
  /// Whether the connection had served another exchange before.
  package var connectionWasReused: Bool

  package init(
    result: Result, bytesReceived: Int64 = 0, lengthWasFramed: Bool = true, lacksTLSFarewell: Bool = false,
    connectionWasReused: Bool = false
  ) {
    self.result = result
    self.bytesReceived = bytesReceived
    self.lengthWasFramed = lengthWasFramed
    self.lacksTLSFarewell = lacksTLSFarewell
    self.connectionWasReused = connectionWasReused
  }
}

/// Why an exchange failed below HTTP. `detail` is the transport library's own sentence, without secrets.
package struct TransportFault: Error, Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// The name does not exist.
    case nameNotFound
    /// The name server did not answer; may work later.
    case nameLookupFailed
    case connectionRefused
    case unreachable
    case connectTimeout
    /// No progress for the idle time, or below the minimum rate.
    case stalled
    case connectionReset
    /// The peer closed before the response was whole.
    case truncated
    /// The connection was closed before a single byte of the response.
    case emptyReply
    case tlsHandshake
    /// The server's certificate does not prove its name.
    case certificate
    /// HTTP/2 stream reset or GOAWAY.
    case streamReset
    /// What came is not HTTP, or breaks it (bad chunk, header flood).
    case protocolViolation
    case proxy
    case tooManyOpenFiles
    case outOfMemory
    case other
  }

  package var kind: Kind
  package var detail: String

  package init(_ kind: Kind, detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}
