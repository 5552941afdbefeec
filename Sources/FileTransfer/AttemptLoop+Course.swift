// A client that is served by more than one exchange, or by others too: what comes after one that went well, and failures
// that come from outside.

package import TransferModel

extension AttemptLoop {
  /// After an attempt that brought what it was to bring.
  func takeCourse() {
    switch client.nextCourse {
    case .conclude: conclude(nil)
    case .again:
      redirectTarget = nil
      beginAttempt()
    case .wait: isWaitingForClient = true
    }
  }

  /// Ends the wait of `AttemptCourse.wait`: with success, or as a failed attempt, which may be followed by another.
  /// Without effect when there is no such wait.
  package func conclude(waiting failure: TransferFailure?) {
    guard isWaitingForClient else { return }
    isWaitingForClient = false
    if let failure { settle(failure) } else { conclude(nil) }
  }

  /// Ends the wait of `AttemptCourse.wait` by another attempt.
  package func goOn() {
    guard isWaitingForClient else { return }
    isWaitingForClient = false
    redirectTarget = nil
    beginAttempt()
  }

  /// Ends what is going on now as a failed attempt, which may be followed by another. Not to be called from the client's
  /// own callbacks.
  package func interrupt(with failure: TransferFailure) {
    if isWaitingForClient {
      conclude(waiting: failure)
    } else if let exchange {
      pendingFailure = failure
      loop.cancel(exchange)
    } else if let timer = waitTimer.take() {
      loop.cancel(timer)
      settle(failure)
    } else {
      interruption = failure
    }
  }
}
