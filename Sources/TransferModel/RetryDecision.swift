// Whether and when to try again: pure, from a failure, the policy, the clock and a random number.
// The only loop that acts on it is `FileTransfer.AttemptLoop`, so retries never multiply.

/// What to do after a failed attempt.
package enum RetryDecision: Hashable, Sendable {
  /// Send again after this wait. `restarting` = from the first byte, keeping nothing.
  case retry(after: Duration, restarting: Bool)
  /// Renew the credential once, then send again; not counted as an attempt.
  case renewCredential
  /// Give up with this failure.
  case stop(TransferFailure)
}

/// The memory of one item's attempts.
///
/// | class | decision |
/// | --- | --- |
/// | any, on a reused connection that died before the first byte | resend at once, not counted, at most 3 times in a row (RFC 9112 section 9.3.1) |
/// | `transient` | wait random(0, min(maximum, initial × 2ⁿ)), n = failures since progress; stop when the wait ends beyond the budget |
/// | `transient`, name not found | the same, but at most 3 failures: a wrong name stays wrong |
/// | `throttled(w)` | as `transient`, but never less than w; w beyond the budget stops at once |
/// | `unauthenticated` | renew once, then stop |
/// | `integrity` | restart from zero, once for each reason; three times when the object changed under us |
/// | `permanent`, `local`, `cancelled` | stop |
///
/// The budget runs from the first attempt or the last progress, whichever is later. Progress means more useful bytes than
/// ever before: a transfer that starts over makes none until it passes its old mark.
package struct RetryLedger: Sendable {
  private let policy: RetryPolicy
  /// No attempt starts at or after this; nil = none.
  private let deadline: MonotonicInstant?
  private var budgetStart: MonotonicInstant
  private var failuresSinceProgress = 0
  private var freeResends = 0
  private var restarts: [ReasonCode: Int] = [:]
  private var credentialRenewals = 0

  private static let freeResendLimit = 3
  private static let nameFailureLimit = 3

  package init(policy: RetryPolicy, start: MonotonicInstant, deadline: MonotonicInstant? = nil) {
    self.policy = policy
    self.deadline = deadline
    budgetStart = start
  }

  /// The decision after one failed attempt.
  ///
  /// - Parameters:
  ///   - progressed: whether the attempt brought the transfer further than it had ever been.
  ///   - diedUnanswered: the connection had served before and closed before a byte of this answer.
  ///   - random: uniform in [0, 1).
  package mutating func decide(
    after failure: TransferFailure, progressed: Bool, diedUnanswered: Bool = false, now: MonotonicInstant,
    random: Double
  ) -> RetryDecision {
    if progressed {
      budgetStart = now
      failuresSinceProgress = 0
      freeResends = 0
    }
    if diedUnanswered, freeResends < Self.freeResendLimit {
      freeResends += 1
      return .retry(after: .zero, restarting: false)
    }
    switch failure.failureClass {
    case .permanent, .local, .cancelled:
      return .stop(failure)
    case .unauthenticated:
      guard credentialRenewals == 0 else { return .stop(failure) }
      credentialRenewals += 1
      return .renewCredential
    case .integrity:
      let limit = failure.reason == .changedDuringTransfer ? 3 : 1
      guard restarts[failure.reason, default: 0] < limit else { return .stop(failure) }
      restarts[failure.reason, default: 0] += 1
      return .retry(after: .zero, restarting: true)
    case .transient:
      return backOff(from: failure, atLeast: nil, now: now, random: random)
    case .throttled(let wait):
      return backOff(from: failure, atLeast: wait, now: now, random: random)
    }
  }

  private mutating func backOff(
    from failure: TransferFailure, atLeast minimum: Duration?, now: MonotonicInstant, random: Double
  ) -> RetryDecision {
    failuresSinceProgress += 1
    if failure.reason == .nameNotFound, failuresSinceProgress > Self.nameFailureLimit { return .stop(failure) }
    let doublings = min(failuresSinceProgress - 1, 30)
    let ceiling = min(policy.maximum, policy.initial * (1 << doublings))
    let wait = max(ceiling * random, minimum ?? .zero)
    let end = min(budgetStart + policy.budget, deadline ?? budgetStart + policy.budget)
    if now + wait < end { return .retry(after: wait, restarting: false) }
    if let minimum, now + minimum >= end {
      return .stop(Self.waitTooLong(failure, asked: minimum, left: end - now))
    }
    return .stop(limitExceeded(failure, now: now))
  }

  private static func waitTooLong(_ failure: TransferFailure, asked: Duration, left: Duration) -> TransferFailure {
    var stopped = failure
    stopped.reason = .retryAfterTooLong
    stopped.message =
      "\(failure.message); the server asks to wait \(asked.inSeconds.rounded()) s, but only \(max(0, left.inSeconds.rounded())) s of the retry time are left"
    stopped.hint = "Run again later, or allow more with a longer `retry: {for: …}`."
    return stopped
  }

  private func limitExceeded(_ failure: TransferFailure, now: MonotonicInstant) -> TransferFailure {
    var stopped = failure
    stopped.reason = .retryLimitExceeded
    stopped.failureClass = .transient
    stopped.message = "gave up after \(failuresSinceProgress) attempts without progress; the last: \(failure.message)"
    stopped.hint = failure.hint ?? "Run again; what was received is kept where it can be continued."
    return stopped
  }
}
