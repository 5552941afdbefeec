// One stream beside a download's first: fetches one piece of the object, with retries of its own.

import TransferModel

/// The client of one piece. What the bytes belong to, and where they go, is the business of `ParallelRanges`.
final class RangeStream: AttemptClient {
  /// At least one, in the plan.
  let number: Int
  let ranges: ParallelRanges
  /// An answer that concerns the whole download, not just this stream.
  var trouble: RangeAnswer?
  private var attempts: AttemptLoop?
  private(set) var usefulBytes: Int64 = 0
  /// When it was started, or last brought something.
  private(set) var lastHeard: MonotonicInstant
  private var wasHeard = false
  private var question: RangeAnswer.Question?

  /// How long a stream tries alone; after that the download's first stream, which has the item's whole budget, takes over.
  private static let retryBudget = Duration.seconds(15)

  init(_ number: Int, of ranges: ParallelRanges) {
    self.number = number
    self.ranges = ranges
    lastHeard = ranges.download.loop.now
  }

  func start() {
    let download = ranges.download
    var policy = download.spec.terms.retry
    policy.budget = min(policy.budget, Self.retryBudget)
    let loop = AttemptLoop(client: self, policy: policy, services: download.services, loop: download.loop) {
      [self] result in
      self.attempts = nil
      ranges.ended(self, result)
    }
    attempts = loop
    loop.start()
  }

  /// Ends now; what came stays.
  func cancel() { attempts?.end(with: TransferFailure(.cancelled, .cancelled, "the stream was given up")) }

  var place: String { ranges.download.place }

  func makeRequest(mirror index: Int) throws(TransferFailure) -> HTTPRequest {
    let (request, question) = try ranges.request(for: self)
    self.question = question
    return request
  }

  func judge(_ head: HTTPResponseHead, from url: HTTPURL) -> HeadJudgement? {
    guard let question else { return nil }
    let response: ObjectVersion
    do throws(GoogHash.Contradiction) {
      response = try ObjectVersion.read(head).version
    } catch {
      return giveUp(.untrusted, url, head.status)
    }
    let answer = RangeAnswer.decide(
      question, status: head.status,
      contentRange: head.fields["Content-Range"].flatMap(ContentRange.init(parsing:)), length: head.contentLength,
      response: response,
      form: ServedForm(of: head, known: ranges.download.storedEncoding))
    switch answer {
    case nil: return nil
    case .take?: return .takeBody
    case .ignored?:
      ranges.download.services.hosts.noteIgnoresRanges(url.origin)
      return giveUp(.ignored, url, head.status)
    case .changed?, .untrusted?: return giveUp(answer, url, head.status)
    }
  }

  private func giveUp(_ answer: RangeAnswer?, _ url: HTTPURL, _ status: Int) -> HeadJudgement {
    trouble = answer
    let reason: ReasonCode = answer == .changed ? .changedDuringTransfer : .rangeNotSatisfiable
    return .fail(
      TransferFailure(
        reason, .permanent, "\(url): a range is answered by \(status), and not with what was asked for",
        httpStatus: status))
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
    wasHeard = true
    let before = ranges.plan.room(of: number)
    let failure = ranges.take(bytes, for: number)
    usefulBytes += before - ranges.plan.room(of: number)
    return failure
  }

  /// Called from time to time: bytes that came since the last time came now.
  func noteHeard(at now: MonotonicInstant) {
    if wasHeard { lastHeard = now }
    wasHeard = false
  }

  var hasEnough: Bool { ranges.plan.room(of: number) == 0 }

  func finish(_ end: ExchangeEnd) -> TransferFailure? {
    let missing = ranges.plan.room(of: number)
    guard missing > 0 else { return nil }
    return TransferFailure(.truncated, .transient, "\(place): a range ended \(missing) bytes early")
  }

  /// A stream has nothing to start over with: the bytes that it wrote were proven to be of the version, one by one.
  func startOver() -> TransferFailure? { nil }

  /// A server that asks for patience is asked by fewer streams.
  func willWait(_ wait: Duration, after failure: TransferFailure) {
    if case .throttled = failure.failureClass { ranges.retire(self) }
  }

  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    ranges.download.explain(head, body: body)
  }
}
