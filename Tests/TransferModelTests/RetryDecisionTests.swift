// The retry table, row by row.

import Testing
import TransferModel

@Suite("Retry decisions")
struct RetryDecisionTests {
  private static let policy = RetryPolicy(budget: .seconds(60), initial: .seconds(1), maximum: .seconds(32))

  private func failure(_ failureClass: FailureClass, _ reason: ReasonCode = .serverError) -> TransferFailure {
    TransferFailure(reason, failureClass, "it failed")
  }

  private func instant(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(sinceOrigin: .seconds(seconds)) }

  private func ledger(deadline: Double? = nil) -> RetryLedger {
    RetryLedger(policy: Self.policy, start: instant(0), deadline: deadline.map(instant))
  }

  private func wait(_ decision: RetryDecision) -> Duration? {
    if case .retry(let wait, _) = decision { return wait }
    return nil
  }

  private func stopped(_ decision: RetryDecision) -> TransferFailure? {
    if case .stop(let failure) = decision { return failure }
    return nil
  }

  @Test("I19: with random = 1 the waits double up to the cap") func doubling() {
    var ledger = RetryLedger(
      policy: RetryPolicy(budget: .seconds(10_000), initial: .seconds(1), maximum: .seconds(32)), start: instant(0))
    let waits = (0..<7).map { _ in
      wait(ledger.decide(after: failure(.transient), progressed: false, now: instant(0), random: 1))
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 32].map { Duration.seconds($0) })
  }

  @Test("I20: with random = 0 every wait is 0") func noWait() {
    var ledger = ledger()
    for _ in 0..<5 {
      #expect(
        ledger.decide(after: failure(.transient), progressed: false, now: instant(0), random: 0)
          == .retry(after: .zero, restarting: false))
    }
  }

  @Test(
    "P25: what cannot change is not retried",
    arguments: [FailureClass.permanent, .local, .cancelled])
  func permanent(failureClass: FailureClass) {
    var ledger = ledger()
    let failure = failure(failureClass)
    #expect(ledger.decide(after: failure, progressed: true, now: instant(0), random: 0) == .stop(failure))
  }

  @Test("the budget ends in retry_limit_exceeded, which stays transient") func budget() {
    var ledger = ledger()
    #expect(wait(ledger.decide(after: failure(.transient), progressed: false, now: instant(59), random: 0.5)) != nil)
    let end = stopped(ledger.decide(after: failure(.transient), progressed: false, now: instant(60), random: 0.5))
    #expect(end?.reason == .retryLimitExceeded)
    #expect(end?.failureClass == .transient)
  }

  @Test("P19: progress starts the budget and the back-off anew") func progress() {
    var ledger = ledger()
    for _ in 0..<6 { _ = ledger.decide(after: failure(.transient), progressed: false, now: instant(1), random: 0) }
    let decision = ledger.decide(after: failure(.transient), progressed: true, now: instant(500), random: 1)
    #expect(decision == .retry(after: .seconds(1), restarting: false))
  }

  @Test("the deadline wins over the budget") func deadline() {
    var ledger = ledger(deadline: 10)
    #expect(
      stopped(ledger.decide(after: failure(.transient), progressed: false, now: instant(9.9), random: 1))?.reason
        == .retryLimitExceeded)
  }

  @Test("P23: Retry-After is a lower bound") func retryAfter() {
    var ledger = ledger()
    #expect(
      ledger.decide(after: failure(.throttled(wait: .seconds(3))), progressed: false, now: instant(0), random: 0)
        == .retry(after: .seconds(3), restarting: false))
  }

  @Test("a Retry-After beyond the budget stops at once and says so") func retryAfterTooLong() {
    var ledger = ledger()
    let end = stopped(
      ledger.decide(after: failure(.throttled(wait: .seconds(3600))), progressed: false, now: instant(0), random: 0))
    #expect(end?.reason == .retryAfterTooLong)
    #expect(end?.message.contains("3600") == true)
  }

  @Test("I16, I17: a credential is renewed once") func renewal() {
    var ledger = ledger()
    let refused = failure(.unauthenticated, .unauthenticated)
    #expect(ledger.decide(after: refused, progressed: false, now: instant(0), random: 0) == .renewCredential)
    #expect(ledger.decide(after: refused, progressed: false, now: instant(0), random: 0) == .stop(refused))
  }

  @Test("wrong bytes are fetched once more, from zero") func integrity() {
    var ledger = ledger()
    let wrong = failure(.integrity, .checksumMismatch)
    #expect(
      ledger.decide(after: wrong, progressed: true, now: instant(0), random: 1)
        == .retry(after: .zero, restarting: true))
    #expect(ledger.decide(after: wrong, progressed: true, now: instant(0), random: 1) == .stop(wrong))
  }

  @Test("P16: an object that keeps changing is given up after three restarts") func changing() {
    var ledger = ledger()
    let changed = failure(.integrity, .changedDuringTransfer)
    for _ in 0..<3 {
      #expect(
        ledger.decide(after: changed, progressed: true, now: instant(0), random: 1)
          == .retry(after: .zero, restarting: true))
    }
    #expect(ledger.decide(after: changed, progressed: true, now: instant(0), random: 1) == .stop(changed))
  }

  @Test("P09: a connection that died unanswered is resent for free, three times") func freeResend() {
    var ledger = ledger()
    let lost = failure(.transient, .truncated)
    for _ in 0..<3 {
      #expect(
        ledger.decide(after: lost, progressed: false, diedUnanswered: true, now: instant(0), random: 1)
          == .retry(after: .zero, restarting: false))
    }
    #expect(
      ledger.decide(after: lost, progressed: false, diedUnanswered: true, now: instant(0), random: 1)
        == .retry(after: .seconds(1), restarting: false))
  }

  @Test("P85: a name that is not found is asked for three times more") func nameNotFound() {
    var ledger = ledger()
    let missing = failure(.transient, .nameNotFound)
    for _ in 0..<3 {
      #expect(wait(ledger.decide(after: missing, progressed: false, now: instant(0), random: 0)) == .zero)
    }
    #expect(ledger.decide(after: missing, progressed: false, now: instant(0), random: 0) == .stop(missing))
  }
}
