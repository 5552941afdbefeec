// The only retry loop of the project: attempts, waits, redirects, credentials, mirrors.
// Not here: what the bytes are and where they go (`AttemptClient`), and when to retry (`RetryLedger`).

package import TransferModel

/// Runs attempts for one client until it is served or there is no point in going on. Lives on one transfer thread, from
/// `start` to the single call of its completion.
package final class AttemptLoop: ExchangeHandler {
  /// What is being done with the answer that is coming in.
  private enum Reception {
    case awaitingHead
    case body
    /// The head said it all.
    case ignoring
    case redirect(HTTPResponseHead)
    /// An error's body, collected for its message.
    case errorBody(HTTPResponseHead, [UInt8])
  }

  private static let errorBodyLimit = 64 << 10
  private static let keptBodyLimit = 2 << 10

  let client: any AttemptClient
  private let services: TransferServices
  let loop: any TransferLoop
  private let policy: RetryPolicy
  /// Whether bytes are counted against a rate; looked up once, as it is asked for each piece.
  private let limitsBytes: Bool
  var completion: ((AttemptLoopResult) -> Void)?

  private var ledger: RetryLedger
  private var mirrors: MirrorRotation
  private var attempts: [AttemptRecord] = []
  private var highWater: Int64 = 0

  private var visited: [HTTPURL] = []
  var redirectTarget: HTTPURL?
  private var sentCredentials: HTTPFields?
  private var reception = Reception.awaitingHead
  /// Why the running attempt was stopped by us.
  var pendingFailure: TransferFailure?
  /// Why everything is to end, whatever the ledger would say.
  private var finalFailure: TransferFailure?
  /// The last failure that waiting may cure, of any mirror.
  private var lastTransient: TransferFailure?
  /// Whether the last attempt ended in silence: what is sent again does not go the same way.
  private var connectionIsSuspect = false
  private var phase = AttemptActivity.notStarted
  private var status: Int?
  private var receivedBytes: Int64 = 0
  /// The length that the running attempt's head names.
  private var promisedBytes: Int64?
  private var lastRetryAfter: Duration?
  /// Whether the client was given all that it asked for and others are still at work (`AttemptCourse.wait`).
  var isWaitingForClient = false
  /// A failure that came from outside when no attempt was running.
  var interruption: TransferFailure?

  var exchange: ExchangeID?
  var waitTimer: TimerID?
  private var deadlineTimer: TimerID?
  private var throttleTimer: TimerID?

  /// - Parameters:
  ///   - mirrorCount: how many mirrors `client` knows; at least 1.
  ///   - deadline: the hard end, from now; nil = none.
  ///   - completion: called once, on the loop's thread.
  package init(
    client: any AttemptClient, mirrorCount: Int = 1, policy: RetryPolicy, deadline: Duration? = nil,
    services: TransferServices, loop: any TransferLoop, completion: @escaping (AttemptLoopResult) -> Void
  ) {
    self.client = client
    self.policy = policy
    self.services = services
    limitsBytes = services.rates.limitsBytes
    self.loop = loop
    self.completion = completion
    mirrors = MirrorRotation(count: mirrorCount)
    ledger = RetryLedger(policy: policy, start: loop.now, deadline: deadline.map { loop.now + $0 })
    highWater = client.usefulBytes
    if let deadline {
      deadlineTimer = loop.schedule(after: deadline) { [self] in
        end(
          with: TransferFailure(
            .deadlineExceeded, .transient, "the item took longer than its deadline of \(Int(deadline.inSeconds)) s",
            hint: "Raise `timeout: {item: …}` or run again; what was received is kept where it can be continued."))
      }
    }
  }

  package func start() { beginAttempt() }

  /// What has to happen before this goes on.
  package var activity: AttemptActivity {
    guard completion != nil else { return .nothing }
    guard case .answer(let start, _, _) = phase else { return phase }
    return .answer(since: start, status: status, bytes: receivedBytes)
  }

  /// Ends now with `failure`; what was received stays with the client. Without effect after the end.
  package func end(with failure: TransferFailure) {
    guard completion != nil, finalFailure == nil else { return }
    finalFailure = failure
    if let exchange {
      loop.cancel(exchange)  // its end concludes
    } else {
      conclude(failure)
    }
  }

  // MARK: Sending

  func beginAttempt() {
    guard completion != nil else { return }
    if let failure = interruption.take() { return settle(failure) }
    var request: HTTPRequest
    do {
      request = try client.makeRequest(mirror: mirrors.current)
    } catch {
      conclude(error)
      return
    }
    if let redirectTarget { request.url = redirectTarget } else { visited = [request.url] }
    let now = loop.now
    let wait = max(
      services.hosts.wait(for: request.url.origin, now: now),
      services.rates.takeRequest(to: request.url.origin, now: now))
    guard wait > .zero else { return send(request) }
    phase = .ownWait(until: now + wait)
    waitTimer = loop.schedule(after: wait) { [self] in
      waitTimer = nil
      send(request)
    }
  }

  private func send(_ request: HTTPRequest) {
    guard completion != nil else { return }
    var request = request
    switch services.authorizer.authorization(for: request.url) {
    case .none:
      sentCredentials = nil
    case .ready(let fields):
      sentCredentials = fields
      for field in fields.all { request.fields.append(field.name, field.value) }
    case .mustRenew:
      renewCredential(for: request.url, refused: nil)
      return
    }
    request.wantsNewConnection = connectionIsSuspect
    connectionIsSuspect = false
    request.avoidsHTTP2 = services.hosts.avoidsHTTP2(request.url.origin)
    reception = .awaitingHead
    status = nil
    receivedBytes = 0
    promisedBytes = nil
    lastRetryAfter = nil
    phase = .answer(since: loop.now, status: nil, bytes: 0)
    exchange = loop.start(request, delivering: self)
  }

  /// Renews, then begins the attempt again on this thread.
  private func renewCredential(for url: HTTPURL, refused: HTTPFields?) {
    phase = .credential(since: loop.now)
    let resumption = LoopResumption(transport: services.transport, loop: loop) { [self] failure in
      if let failure {
        conclude(failure)
      } else {
        beginAttempt()
      }
    }
    services.authorizer.renew(for: url, refused: refused) { failure in resumption.deliver(failure) }
  }

  // MARK: Receiving

  package func exchangeDidReceive(_ head: HTTPResponseHead, on loop: any TransferLoop) -> BodyVerdict {
    status = head.status
    promisedBytes = head.contentLength
    guard pendingFailure == nil, finalFailure == nil, let url = visited.last else { return .stop }
    if RedirectDecision.isRedirect(head.status), head.fields["Location"] != nil {
      reception = .redirect(head)
      return (head.contentLength ?? 0) > Self.errorBodyLimit ? .stop : .proceed
    }
    switch client.judge(head, from: url) {
    case .takeBody:
      reception = .body
      return .proceed
    case .done:
      reception = .ignoring
      return (head.contentLength ?? 0) > Self.errorBodyLimit ? .stop : .proceed
    case .fail(let failure):
      pendingFailure = failure
      return .stop
    case nil:
      reception = .errorBody(head, [])
      return .proceed
    }
  }

  package func exchangeDidReceive(_ bytes: UnsafeRawBufferPointer, on loop: any TransferLoop) -> BodyVerdict {
    receivedBytes += Int64(bytes.count)
    switch reception {
    case .body:
      if let failure = client.take(bytes) {
        pendingFailure = failure
        return .stop
      }
      if client.hasEnough {
        reception = .ignoring
        return .stop
      }
      return limitsBytes ? throttle(bytes.count) : .proceed
    case .errorBody(let head, var body):
      reception = .awaitingHead  // so that `body` is not shared while it grows
      body.append(contentsOf: bytes.prefix(Self.errorBodyLimit - body.count))
      reception = .errorBody(head, body)
      return body.count < Self.errorBodyLimit ? .proceed : .stop
    case .redirect, .ignoring:
      return receivedBytes <= Self.errorBodyLimit ? .proceed : .stop
    case .awaitingHead:
      return .stop
    }
  }

  private func throttle(_ count: Int) -> BodyVerdict {
    let wait = services.rates.takeBytes(Int64(count), from: visited.last?.origin, now: loop.now)
    guard wait > .milliseconds(2), let exchange else { return .proceed }
    throttleTimer = loop.schedule(after: wait) { [self] in
      throttleTimer = nil
      loop.resumeBody(of: exchange)
    }
    return .pause
  }

  package func exchangeDidEnd(_ end: ExchangeEnd, on loop: any TransferLoop) {
    exchange = nil
    if let throttleTimer { loop.cancel(throttleTimer) }
    throttleTimer = nil
    if let failure = finalFailure {
      attempts.append(AttemptRecord(mirror: mirrors.current, status: status, failure: failure, bytes: receivedBytes))
      conclude(failure)
      return
    }
    if let failure = pendingFailure {
      pendingFailure = nil
      settle(failure)
      return
    }
    switch (reception, end.result) {
    case (.redirect(let head), .complete), (.redirect(let head), .aborted):
      follow(head)
    case (.errorBody(let head, let body), .complete), (.errorBody(let head, let body), .aborted),
      (.errorBody(let head, let body), .failed):
      settle(failure(from: head, body: body))
    case (.ignoring, .complete), (.ignoring, .aborted), (.body, .complete):
      if let failure = client.finish(end) { settle(failure) } else { takeCourse() }
    case (_, .failed(let fault)):
      connectionIsSuspect = fault.kind == .stalled
      if fault.kind == .streamReset, let origin = visited.last?.origin { services.hosts.noteStreamReset(origin) }
      let diedUnanswered = end.connectionWasReused && status == nil && fault.isConnectionLoss
      settle(failure(from: fault), diedUnanswered: diedUnanswered)
    case (_, .cancelled):
      settle(TransferFailure(.cancelled, .cancelled, "\(place): cancelled"))
    case (.awaitingHead, .complete), (.awaitingHead, .aborted), (.body, .aborted):
      settle(TransferFailure(.internalError, .permanent, "\(place): the answer ended without a head"))
    }
  }

  private func follow(_ head: HTTPResponseHead) {
    switch RedirectDecision.decide(visited: visited, status: head.status, location: head.fields["Location"]) {
    case .follow(let url):
      visited.append(url)
      redirectTarget = url
      beginAttempt()
    case .refuse(let failure):
      settle(failure)
    }
  }

  /// A body that is cut short is told by its numbers, as `DownloadProof` tells it (P06).
  private func failure(from fault: TransportFault) -> TransferFailure {
    var failure = TransferFailure(fault, place: place)
    if fault.kind == .truncated, let promisedBytes {
      failure.message = "\(place): \(receivedBytes) of \(promisedBytes) bytes came before the connection closed"
    }
    return failure
  }

  private func failure(from head: HTTPResponseHead, body: [UInt8]) -> TransferFailure {
    let explanation = client.explain(head, body: body)
    lastRetryAfter = RetryAfter.wait(from: head.fields, now: services.clocks.utc())
    if explanation.isRateLimit, let origin = visited.last?.origin { loop.noteOverload(of: origin) }
    var failure = StatusTable.failure(
      status: head.status, place: client.place, policy: policy, retryAfter: lastRetryAfter,
      isRateLimit: explanation.isRateLimit, serverMessage: explanation.message.map(redact))
    if !body.isEmpty {
      // Redacted before it is cut: half a secret would not be found.
      let text = redact(String(decoding: body.prefix(Self.keptBodyLimit * 3), as: UTF8.self))
      failure.serverBody = String(decoding: text.utf8.prefix(Self.keptBodyLimit), as: UTF8.self)
    }
    if head.status == 401, sentCredentials == nil { failure.failureClass = .permanent }
    if let wait = lastRetryAfter, failure.failureClass.isTransient, let origin = visited.last?.origin {
      services.hosts.pause(origin, until: loop.now + min(wait, policy.budget))
    }
    return failure
  }

  /// A server may echo the very link that it was asked for.
  private func redact(_ text: String) -> String {
    Redactor(secrets: visited.flatMap { RedactedURL.secrets(of: $0) }).redact(services.redact(text))
  }

  // MARK: Deciding

  /// Records the failed attempt and does what the ledger says.
  func settle(_ failure: TransferFailure, diedUnanswered: Bool = false) {
    let progressed = client.usefulBytes > highWater
    highWater = max(highWater, client.usefulBytes)
    attempts.append(
      AttemptRecord(mirror: mirrors.current, status: status, failure: failure, bytes: receivedBytes))
    redirectTarget = nil
    if failure.failureClass.isTransient { lastTransient = failure }
    var judged = failure
    if mirrors.count > 1 {
      switch rotate(after: failure) {
      case .next?:
        askAnotherMirror(after: .zero)
        return
      case .nextRound?:
        judged = lastTransient ?? failure
      case .exhausted?:
        conclude(failure)
        return
      case nil: break
      }
    }
    let decision = ledger.decide(
      after: judged, progressed: progressed, diedUnanswered: diedUnanswered, now: loop.now,
      random: services.clocks.random())
    switch decision {
    case .stop(let final):
      conclude(final)
    case .renewCredential:
      guard let url = visited.last, let sent = sentCredentials else {
        conclude(failure)
        return
      }
      renewCredential(for: url, refused: sent)
    case .retry(let wait, let restarting):
      if diedUnanswered { attempts.removeLast() } else { attempts[attempts.count - 1].wait = wait }
      if wait > .zero { client.willWait(wait, after: judged) }
      if restarting || mirrors.count > 1 {
        askAnotherMirror(after: wait)
      } else {
        beginAttempt(after: wait)
      }
    }
  }

  /// Chooses the next mirror; nil when no mirror could do better than this machine does.
  private func rotate(after failure: TransferFailure) -> MirrorRotation.Step? {
    switch failure.failureClass {
    case .local, .cancelled, .unauthenticated: nil
    case .transient, .throttled: mirrors.advance(dropping: false)
    case .permanent, .integrity: mirrors.advance(dropping: true)
    }
  }

  /// What one mirror sent is not continued from another: only a pinned hash could prove that it may be.
  private func askAnotherMirror(after wait: Duration) {
    if let failure = client.startOver() {
      conclude(failure)
    } else {
      beginAttempt(after: wait)
    }
  }

  private func beginAttempt(after wait: Duration) {
    guard wait > .zero else {
      beginAttempt()
      return
    }
    phase = .ownWait(until: loop.now + wait)
    waitTimer = loop.schedule(after: wait) { [self] in
      waitTimer = nil
      beginAttempt()
    }
  }

  func conclude(_ failure: TransferFailure?) {
    guard let completion else { return }
    self.completion = nil
    if failure == nil {
      attempts.append(AttemptRecord(mirror: mirrors.current, status: status, bytes: receivedBytes))
    }
    for timer in [waitTimer, deadlineTimer, throttleTimer] { timer.map(loop.cancel) }
    completion(AttemptLoopResult(failure: failure, attempts: attempts, mirror: mirrors.current))
  }

  /// What is being asked, for messages.
  private var place: String { visited.first?.description ?? "the request" }
}
