// The life of one credential as a value: when it serves, who waits for the next one, and when to give up.
// What is done about it is `TokenCell`.

import TransferModel

/// Decides about one credential. Events in, actions out; no clock of its own.
///
/// | event | there is | action |
/// | --- | --- | --- |
/// | renew | a fetch on its way | wait for it |
/// | renew | a refusal that stands | answer with it |
/// | renew, nothing refused or another value than ours | a fresh token | go on with that |
/// | renew | a failure of less than 5 s ago | answer with it |
/// | renew, our value refused | it replaced a refused one in the last minute | the refusal stands, for all |
/// | renew | anything else | fetch |
/// | fetched | the same value that was refused | the refusal stands, for all |
/// | fetched | a token | all who wait go on |
/// | fetch failed, may pass | a token that is old but not expired, and not refused | go on with that for 30 s |
/// | fetch failed, may pass | no such token | all who wait get the failure |
/// | fetch failed for good | | it stands, for all |
struct TokenMachine<Waiter> {
  enum Action {
    case answer(TransferFailure?)
    /// The waiter is kept; a fetch is on its way.
    case wait
    /// The waiter is kept; fetch.
    case fetch
  }

  /// Time before the end of life at which a token is renewed; at most a quarter of its life.
  let skew: Duration
  private var value: String?
  /// nil = no end is known.
  private var expiry: MonotonicInstant?
  private var freshUntil: MonotonicInstant?
  private var isFetching = false
  private var waiters: [Waiter] = []
  /// What the server refused and the running fetch is to replace.
  private var refused: String?
  private var replacedRefusalAt: MonotonicInstant?
  private var final: TransferFailure?
  private var recent: (until: MonotonicInstant, failure: TransferFailure)?

  private static var memoryOfRefusal: Duration { .seconds(60) }
  private static var memoryOfFailure: Duration { .seconds(5) }
  private static var grace: Duration { .seconds(30) }

  init(skew: Duration) { self.skew = skew }

  /// What to send now; nil = it must be renewed first.
  func current(now: MonotonicInstant) -> String? {
    guard final == nil, let value else { return nil }
    guard let freshUntil else { return value }
    return now < freshUntil ? value : nil
  }

  /// - Parameter stands: the failure when the server refuses this value, with a new one or without.
  mutating func renew(
    refused: String?, now: MonotonicInstant, stands: (String) -> TransferFailure, _ waiter: Waiter
  ) -> Action {
    if isFetching {
      waiters.append(waiter)
      return .wait
    }
    if let final { return .answer(final) }
    if refused == nil || refused != value, current(now: now) != nil { return .answer(nil) }
    if let recent, now < recent.until { return .answer(recent.failure) }
    if let refused, refused == value {
      if let replaced = replacedRefusalAt, now - replaced < Self.memoryOfRefusal {
        let failure = stands(refused)
        final = failure
        return .answer(failure)
      }
      self.refused = refused
    }
    isFetching = true
    waiters.append(waiter)
    return .fetch
  }

  /// Takes a token that was there from the beginning.
  mutating func prime(_ token: IssuedToken, now: MonotonicInstant) { keep(token, now: now) }

  /// The fetch has ended: everyone who waits, and what they are told.
  mutating func fetched(
    _ result: Result<IssuedToken, TransferFailure>, now: MonotonicInstant, stands: (String) -> TransferFailure
  ) -> (waiters: [Waiter], failure: TransferFailure?) {
    defer {
      isFetching = false
      waiters = []
      refused = nil
    }
    switch result {
    case .success(let token):
      if let refused, refused == token.value {
        final = stands(refused)
        return (waiters, final)
      }
      if refused != nil { replacedRefusalAt = now }
      recent = nil
      keep(token, now: now)
      return (waiters, nil)
    case .failure(let failure):
      guard failure.failureClass.isTransient || failure.failureClass == .cancelled else {
        final = failure
        return (waiters, failure)
      }
      if refused == nil, value != nil, let expiry, now < expiry {
        freshUntil = min(expiry, now + Self.grace)
        return (waiters, nil)
      }
      recent = (now + Self.memoryOfFailure, failure)
      return (waiters, failure)
    }
  }

  private mutating func keep(_ token: IssuedToken, now: MonotonicInstant) {
    value = token.value
    expiry = token.lifetime.map { now + $0 }
    freshUntil = token.lifetime.map { now + ($0 - min(skew, $0 / 4)) }
  }
}
