// What `AttemptLoop` asks of whoever wants the bytes: a file, or a small document.

package import TransferModel

/// One thing that is fetched, over as many attempts as it takes. Used on one transfer thread.
package protocol AttemptClient: AnyObject {
  /// What is being fetched, for messages: without secrets.
  var place: String { get }

  /// The request of the next attempt, without credentials, for mirror `index`.
  func makeRequest(mirror index: Int) throws(TransferFailure) -> HTTPRequest

  /// What to do with a final answer; nil leaves it to `StatusTable`.
  func judge(_ head: HTTPResponseHead, from url: HTTPURL) -> HeadJudgement?

  /// Takes bytes of a body that `judge` wanted; a failure ends the attempt.
  func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure?

  /// The wanted body has ended whole, as far as the framing tells, or `judge` said `done`; nil = everything is proven.
  func finish(_ end: ExchangeEnd) -> TransferFailure?

  /// Forgets all bytes: the next attempt starts at zero. Called also before another mirror is asked.
  func startOver() -> TransferFailure?

  /// Bytes that are worth keeping; more than ever before counts as progress.
  var usefulBytes: Int64 { get }

  /// The next attempt comes after this wait.
  func willWait(_ wait: Duration, after failure: TransferFailure)

  /// Asked after each `take`: true ends the attempt there, and `finish` judges what came.
  var hasEnough: Bool { get }

  /// Asked after a `finish` without a failure.
  var nextCourse: AttemptCourse { get }

  /// Reads what the server says about an error.
  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation
}

extension AttemptClient {
  package func willWait(_ wait: Duration, after failure: TransferFailure) {}
  package var hasEnough: Bool { false }
  package var nextCourse: AttemptCourse { .conclude }
}

/// How it goes on after an attempt that brought what it was to bring.
package enum AttemptCourse: Sendable {
  /// Everything is there.
  case conclude
  /// Something else is to be asked for, at once.
  case again
  /// Others are at work; `AttemptLoop.conclude(waiting:)` will tell.
  case wait
}

/// What a client makes of a response head.
package enum HeadJudgement: Sendable {
  /// Give me the body.
  case takeBody
  /// The head says it all; the body does not matter.
  case done
  case fail(TransferFailure)
}

/// What a server said about an error, made printable by whoever knows its dialect.
package struct ServerExplanation: Sendable {
  /// One short line; nil when the body says nothing that can be read.
  package var message: String?
  /// Google's 403 for a rate limit, which is worth a retry.
  package var isRateLimit: Bool

  package init(message: String? = nil, isRateLimit: Bool = false) {
    self.message = message
    self.isRateLimit = isRateLimit
  }
}

/// One attempt, for the report.
package struct AttemptRecord: Hashable, Sendable {
  package var mirror: Int
  /// nil when no answer came.
  package var status: Int?
  /// nil when the attempt succeeded.
  package var failure: TransferFailure?
  /// Body bytes received.
  package var bytes: Int64
  /// The wait before the next attempt.
  package var wait: Duration

  package init(
    mirror: Int, status: Int? = nil, failure: TransferFailure? = nil, bytes: Int64 = 0, wait: Duration = .zero
  ) {
    self.mirror = mirror
    self.status = status
    self.failure = failure
    self.bytes = bytes
    self.wait = wait
  }
}

/// How all attempts together ended.
package struct AttemptLoopResult: Sendable {
  /// nil = success.
  package var failure: TransferFailure?
  package var attempts: [AttemptRecord]
  /// The mirror that was asked last: the one that served, on success.
  package var mirror: Int
}
