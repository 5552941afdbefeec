// A transport without a network and without waiting: answers come from a script, time is a number that jumps.

package import TransferModel

/// What the server does with one request.
package struct ScriptedAnswer: Sendable {
  package enum Step: Sendable {
    case head(HTTPResponseHead)
    case bytes([UInt8])
    /// Time passes.
    case wait(Duration)
    /// Something happens at this point, on the loop's thread.
    case call(@Sendable () -> Void)
    case fail(TransportFault.Kind)
  }

  package var steps: [Step]
  /// Whether the end of the body is marked.
  package var isFramed = true
  /// Whether the exchange went over a connection that had served before.
  package var isReused = false

  package init(_ steps: [Step]) { self.steps = steps }

  /// A whole answer with a length.
  package static func status(
    _ status: Int, _ fields: [(String, String)] = [], body: [UInt8] = [], length: Int64? = nil
  ) -> ScriptedAnswer {
    let head = HTTPResponseHead(
      status: status, fields: HTTPFields(fields.map { HTTPFields.Field($0.0, $0.1) }),
      contentLength: length ?? Int64(body.count))
    return ScriptedAnswer([.head(head), .bytes(body)])
  }

  /// The same answer, cut off by this fault after what has been sent.
  package func thenFailing(_ kind: TransportFault.Kind) -> ScriptedAnswer {
    var copy = self
    copy.steps.append(.fail(kind))
    return copy
  }

  package static func fault(_ kind: TransportFault.Kind) -> ScriptedAnswer { ScriptedAnswer([.fail(kind)]) }
}

/// One loop in virtual time. Work is queued by `run` from any thread and done by `drive`, on the thread that calls it;
/// waits end at once, in order, and only move `now`.
package final class ScriptedTransport: HTTPTransport {
  /// Every request so far, in order.
  package var requests: [HTTPRequest] { inbox.withLock { $0.requests } }

  package struct Inbox: Sendable {
    var work: [@Sendable (any TransferLoop) -> Void] = []
    var requests: [HTTPRequest] = []
    var overloads: [Origin] = []
  }

  /// The hosts that were said to be asked too much.
  package var overloads: [Origin] { inbox.withLock { $0.overloads } }

  fileprivate let inbox = Lock(Inbox())
  fileprivate let answer: @Sendable (HTTPRequest, Int) -> ScriptedAnswer
  // Touched by the thread that drives; tests drive from one at a time.
  private nonisolated(unsafe) var loop: ScriptedLoop?

  /// - Parameter answer: given the request and its number, from 1.
  package init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> ScriptedAnswer) { self.answer = answer }

  /// Answers one after the other; the last one is repeated.
  package convenience init(_ answers: [ScriptedAnswer]) {
    self.init { _, number in answers[min(number, answers.count) - 1] }
  }

  package var loopCount: Int { 1 }

  package func run(onLoop index: Int, _ work: @escaping @Sendable (any TransferLoop) -> Void) {
    inbox.withLock { $0.work.append(work) }
  }

  package func shutdown() {}

  /// Does everything that is due, and lets time jump to what comes next, until nothing is left to do. Returns the time
  /// that has passed since the start.
  @discardableResult
  package func drive(atMost steps: Int = 1_000_000) -> Duration {
    let loop = self.loop ?? ScriptedLoop(self)
    self.loop = loop
    for _ in 0..<steps {
      let work = inbox.withLock { inbox in
        defer { inbox.work = [] }
        return inbox.work
      }
      for item in work { item(loop) }
      if work.isEmpty, !loop.step() { break }
    }
    return loop.now.sinceOrigin
  }
}

/// The loop of a `ScriptedTransport`.
private final class ScriptedLoop: TransferLoop {
  private final class Exchange {
    let handler: any ExchangeHandler
    var answer: ScriptedAnswer
    var received: Int64 = 0
    var isPaused = false
    var wasCancelled = false
    init(_ handler: any ExchangeHandler, _ answer: ScriptedAnswer) {
      self.handler = handler
      self.answer = answer
    }
  }

  /// Its owner, which drives it.
  private unowned let transport: ScriptedTransport
  private var exchanges: [UInt64: Exchange] = [:]
  private var timers: [(due: MonotonicInstant, id: UInt64, action: () -> Void)] = []
  private var nextID: UInt64 = 0
  private var current: UInt64?
  private(set) var now = MonotonicInstant(sinceOrigin: .zero)

  let index = 0
  /// Work takes no time here.
  var idleTime: Duration { now.sinceOrigin }

  init(_ transport: ScriptedTransport) { self.transport = transport }

  func noteOverload(of origin: Origin) { transport.inbox.withLock { $0.overloads.append(origin) } }

  func start(_ request: HTTPRequest, delivering handler: any ExchangeHandler) -> ExchangeID {
    nextID += 1
    let number = transport.inbox.withLock { inbox in
      inbox.requests.append(request)
      return inbox.requests.count
    }
    // Scheduling takes the next number for its timer.
    let id = nextID
    exchanges[id] = Exchange(handler, transport.answer(request, number))
    schedule(advancing: id)
    return ExchangeID(id)
  }

  func cancel(_ exchange: ExchangeID) {
    guard let running = exchanges[exchange.value] else { return }
    if current == exchange.value { running.wasCancelled = true } else { end(exchange.value, .cancelled) }
  }

  func resumeBody(of exchange: ExchangeID) {
    guard let running = exchanges[exchange.value], running.isPaused else { return }
    running.isPaused = false
    schedule(advancing: exchange.value)
  }

  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
    nextID += 1
    timers.append((now + max(delay, .zero), nextID, action))
    return TimerID(nextID)
  }

  func cancel(_ timer: TimerID) { timers.removeAll { $0.id == timer.value } }

  /// Fires the next timer; false when there is none.
  func step() -> Bool {
    guard let next = timers.indices.min(by: { (timers[$0].due, timers[$0].id) < (timers[$1].due, timers[$1].id) })
    else { return false }
    let timer = timers.remove(at: next)
    now = max(now, timer.due)
    timer.action()
    return true
  }

  private func schedule(advancing id: UInt64, after delay: Duration = .zero) {
    _ = schedule(after: delay) { [self] in advance(id) }
  }

  private func advance(_ id: UInt64) {
    guard let exchange = exchanges[id], !exchange.isPaused else { return }
    guard !exchange.answer.steps.isEmpty else {
      end(id, .complete)
      return
    }
    current = id
    let step = exchange.answer.steps.removeFirst()
    var verdict = BodyVerdict.proceed
    switch step {
    case .head(let head): verdict = exchange.handler.exchangeDidReceive(head, on: self)
    case .bytes(let bytes):
      exchange.received += Int64(bytes.count)
      if !bytes.isEmpty { verdict = bytes.withUnsafeBytes { exchange.handler.exchangeDidReceive($0, on: self) } }
    case .wait(let duration):
      current = nil
      schedule(advancing: id, after: duration)
      return
    case .call(let action): action()
    case .fail(let kind):
      current = nil
      end(id, .failed(TransportFault(kind)))
      return
    }
    current = nil
    if exchange.wasCancelled { return end(id, .cancelled) }
    switch verdict {
    case .proceed: schedule(advancing: id)
    case .pause: exchange.isPaused = true
    case .stop: end(id, .aborted)
    }
  }

  private func end(_ id: UInt64, _ result: ExchangeEnd.Result) {
    guard let exchange = exchanges.removeValue(forKey: id) else { return }
    exchange.handler.exchangeDidEnd(
      ExchangeEnd(
        result: result, bytesReceived: exchange.received, lengthWasFramed: exchange.answer.isFramed,
        connectionWasReused: exchange.answer.isReused), on: self)
  }
}
