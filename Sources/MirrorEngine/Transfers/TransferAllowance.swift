// The budget of a run's transfers, as the pool's threads ask for it. The rule is `TransferBudget`.

import FileTransfer
import MirrorPlan
import TransferModel

/// One `TransferBudget` that all loops share, and what it has turned away. Any thread.
package final class TransferAllowance: Sendable {
  fileprivate struct State {
    var budget: TransferBudget
    var hasRefused = false
    var oversized: [TransferFailure] = []
  }

  /// Transfers that are larger than the whole budget are named in the summary; more than these are not.
  private static let named = 10

  private let state: Lock<State>

  init(_ limits: TransferBudget.Limits) { state = Lock(State(budget: TransferBudget(limits))) }

  /// Whether a transfer was left for a later run.
  var hasRefused: Bool { state.withLock { $0.hasRefused } }

  /// What no run with this budget will fetch.
  var oversized: [TransferFailure] { state.withLock { $0.oversized } }

  enum Answer {
    case begin
    case wait
    case refuse(TransferFailure)
  }

  func ask(_ job: TransferJob) -> Answer {
    let spec = job.spec.value
    // A part that an earlier run left makes the rest smaller than the whole; the head will tell.
    let size = spec.part == nil ? spec.listed?.size ?? spec.pins.size : nil
    return state.withLock { state in
      switch state.budget.ask(job.ticket, size: size, mayBeUnchanged: spec.known != nil) {
      case .begin: .begin
      case .wait: .wait
      case .refuse(let refusal): .refuse(state.refuse(refusal, at: spec.endpoints[0].servedBy, Self.named))
      }
    }
  }

  /// The head of a body has come; the failure to end with when it is too much.
  func head(_ ticket: Int, size: Int64?, of place: @autoclosure () -> String) -> TransferFailure? {
    state.withLock { state in
      state.budget.head(ticket, size: size).map { state.refuse($0, at: place(), Self.named) }
    }
  }

  func end(_ finished: FinishedTransfer) {
    state.withLock { $0.budget.end(finished.ticket, received: finished.result.bytesReceived) }
  }
}

extension TransferAllowance.State {
  mutating func refuse(
    _ refusal: TransferBudget.Refusal, at place: String, _ limit: Int
  ) -> TransferFailure {
    hasRefused = true
    let failure = refusal.failure(at: place)
    if case .tooLarge = refusal, oversized.count < limit { oversized.append(failure) }
    return failure
  }
}
