// The one place that says whether a run goes on, and why it does not.

package import TransferModel

/// Told by signals, budgets and broken disks; asked by everyone who would start something new. Any thread.
package final class RunControl: Sendable {
  package enum Stop: Hashable, Sendable {
    /// By a signal: 2 = SIGINT, 15 = SIGTERM.
    case signal(Int32)
    /// The run's time is used up.
    case budget
    /// This machine cannot take any more: the disk is full, the root is read-only.
    case local(TransferFailure)
    /// An entry failed and `--fail-fast` was asked for.
    case failFast
    /// Nothing moves, and nothing will (P29).
    case stuck(TransferFailure)

    /// Why transfers that are running or waiting end.
    package var failure: TransferFailure {
      switch self {
      case .signal: TransferFailure(.cancelled, .cancelled, "the run was interrupted")
      case .budget:
        TransferFailure(
          .budgetExhausted, .cancelled, "the run's time was used up (--max-duration)",
          hint: "Run again: what was received is kept where it can be continued.")
      case .local(let failure):
        TransferFailure(.cancelled, .cancelled, "not tried, because \(failure.message)", hint: failure.hint)
      case .stuck(let failure):
        TransferFailure(.cancelled, .cancelled, "not finished, because \(failure.message)", hint: failure.hint)
      case .failFast: TransferFailure(.cancelled, .cancelled, "not tried, because another entry failed (--fail-fast)")
      }
    }
  }

  private struct State {
    var stop: Stop?
    var listeners: [ListenerID: @Sendable (Stop) -> Void] = [:]
    var lastListener: ListenerID = 0
  }

  /// Tells listeners apart.
  package typealias ListenerID = Int

  private let state = Lock(State())

  package init() {}

  /// Why the run is to end; nil while it goes on. The first reason stays.
  package var stop: Stop? { state.withLock { $0.stop } }

  /// Asks the run to end. Without effect when it was asked before.
  package func stop(_ reason: Stop) {
    let listeners = state.withLock { state -> [@Sendable (Stop) -> Void] in
      guard state.stop == nil else { return [] }
      state.stop = reason
      defer { state.listeners = [:] }
      return state.listeners.sorted { $0.key < $1.key }.map(\.value)
    }
    for listener in listeners { listener(reason) }
  }

  /// Calls `listener` once when the run is asked to end, at once when it was already; on the thread that asks. It is held
  /// until then, or until `forget`.
  @discardableResult
  package func onStop(_ listener: @escaping @Sendable (Stop) -> Void) -> ListenerID {
    let (id, reason) = state.withLock { state in
      state.lastListener += 1
      if state.stop == nil { state.listeners[state.lastListener] = listener }
      return (state.lastListener, state.stop)
    }
    if let reason { listener(reason) }
    return id
  }

  /// The listener is not called any more, unless it is being called just now.
  package func forget(_ listener: ListenerID) { state.withLock { $0.listeners[listener] = nil } }
}

extension TransferFailure {
  /// Whether the failure is of the disk as a whole, so that every further entry would fail the same way (P26).
  package var stopsTheRun: Bool {
    switch reason {
    case .diskFull, .readOnly, .tooManyOpenFiles, .outOfMemory: failureClass == .local
    default: false
    }
  }
}
