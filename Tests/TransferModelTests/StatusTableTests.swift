// What statuses and transport faults mean.

import Testing
import TransferModel

@Suite("Statuses and faults")
struct StatusTableTests {
  static let rows: [(Int, ReasonCode, FailureClass)] = [
    (204, .unexpectedStatus, .permanent), (205, .unexpectedStatus, .permanent), (203, .unexpectedStatus, .permanent),
    (206, .unexpectedStatus, .permanent), (300, .unexpectedStatus, .permanent),
    (400, .invalidRequest, .permanent), (401, .unauthenticated, .unauthenticated), (402, .quotaExceeded, .permanent),
    (403, .unauthorized, .permanent), (404, .notFound, .permanent), (405, .invalidRequest, .permanent),
    (407, .proxy, .permanent), (408, .serverError, .transient), (409, .conflict, .permanent),
    (410, .notFound, .permanent), (412, .preconditionFailed, .permanent),
    (416, .rangeNotSatisfiable, .permanent), (429, .throttled, .throttled(wait: nil)), (451, .unauthorized, .permanent),
    (500, .serverError, .transient), (501, .serverError, .permanent), (502, .serverError, .transient),
    (503, .serverError, .transient), (504, .serverError, .transient), (505, .serverError, .permanent),
  ]

  @Test("every row of the table", arguments: rows)
  func row(status: Int, reason: ReasonCode, failureClass: FailureClass) {
    let failure = StatusTable.failure(status: status, place: "https://a.example/x", policy: RetryPolicy())
    #expect(failure.reason == reason)
    #expect(failure.failureClass == failureClass)
    #expect(failure.httpStatus == status)
    #expect(failure.message.contains("\(status)"))
  }

  @Test("a 503 with Retry-After is throttling") func retryAfter() {
    let failure = StatusTable.failure(
      status: 503, place: "x", policy: RetryPolicy(), retryAfter: .seconds(2))
    #expect(failure.failureClass == .throttled(wait: .seconds(2)))
  }

  @Test("I05: Google's 403 for a rate limit is throttling") func rateLimit() {
    let failure = StatusTable.failure(status: 403, place: "x", policy: RetryPolicy(), isRateLimit: true)
    #expect(failure.failureClass == .throttled(wait: nil))
  }

  @Test("the policy decides what is transient") func policy() {
    let failure = StatusTable.failure(status: 503, place: "x", policy: RetryPolicy(statuses: [500]))
    #expect(failure.failureClass == .permanent)
  }

  @Test(
    "I06-I09: faults that waiting may cure are transient, the others are not", arguments: TransportFault.Kind.allCases)
  func fault(kind: TransportFault.Kind) {
    let failure = TransferFailure(TransportFault(kind, detail: "because"), place: "https://a.example/x")
    let expected: FailureClass =
      switch kind {
      case .certificate, .protocolViolation, .proxy, .other: .permanent
      case .tooManyOpenFiles, .outOfMemory: .local
      default: .transient
      }
    #expect(failure.failureClass == expected)
    #expect(failure.message.contains("because"))
  }

  @Test("a token bucket gives the long-run rate, whatever the chunks") func bucket() {
    for chunk in [1_000 as Int64, 16_384, 300_000] {
      var now = MonotonicInstant(sinceOrigin: .zero)
      var bucket = TokenBucket(rate: 1_000_000, start: now)
      var taken: Int64 = 0
      while taken < 10_000_000 {
        now = now + bucket.take(chunk, now: now)
        taken += chunk
      }
      let seconds = now.sinceOrigin.inSeconds
      #expect(abs(Double(taken) / seconds - 1_000_000) < 50_000, "chunks of \(chunk): \(Double(taken) / seconds) B/s")
    }
  }
}
