// Observers and completions of a task: registering, removing, and telling them on their queues.

import Dispatch
import Foundation
import TransferModel

extension StorageDownloadTask {
  @discardableResult
  public func observe(
    _ status: StorageTaskStatus, handler: @escaping @Sendable (StorageTaskSnapshot) -> Void
  ) -> StorageHandle {
    observe(status, on: .callbacks, handler: handler)
  }

  @discardableResult
  func observe(
    _ status: StorageTaskStatus, on side: Side, handler: @escaping @Sendable (StorageTaskSnapshot) -> Void
  ) -> StorageHandle {
    let handle = UUID().uuidString
    register(on: side) { registry, machine in
      let present = machine.isAlready(status) ? Self.report(machine, as: status) : nil
      return registry.add(handle, for: status, present: present) { [weak self] report in
        guard let self else { return }
        handler(snapshot(report))
      }
    }
    return handle
  }

  /// Observes everything from now on, beginning with the state as it is, and with the bytes that are there already.
  func observeCourse(_ handler: @escaping @Sendable (StorageTaskSnapshot) -> Void) -> [StorageHandle] {
    let handles = StorageTaskStatus.allCases.map { (status: $0, handle: UUID().uuidString) }
    let due = state.withLock { state in
      var due = Due()
      for (status, handle) in handles {
        let isTelling = status == .progress ? state.machine.counts.completed > 0 : true
        let present = isTelling && state.machine.isAlready(status)
        let isDue = state.waiters.add(
          handle, for: status, present: present ? Self.report(state.machine, as: status) : nil
        ) { [weak self] report in
          guard let self else { return }
          handler(snapshot(report))
        }
        due.waiterTickets += isDue ? 1 : 0
      }
      return due
    }
    sendTickets(due)
    return handles.map(\.handle)
  }

  /// Adds what is called once, with the end; at most one for each task, as it takes the bytes with it.
  func whenEnded(on side: Side, _ completion: @escaping @Sendable (Result<Data?, StorageError>) -> Void) {
    register(on: side) { registry, _ in
      registry.addCompletion { [weak self] report in
        // The ticket that brings the report holds the task.
        let data = self?.data.withLock { data in
          defer { data = nil }
          return data
        }
        completion(report.error.map { .failure($0) } ?? .success(data))
      }
    }
  }

  private func register(
    on side: Side, _ body: (inout ObserverRegistry<TaskReport>, DownloadTaskMachine) -> Bool
  ) {
    let due = state.withLock { state in
      switch side {
      case .callbacks: Due(callbackTickets: body(&state.callbacks, state.machine) ? 1 : 0)
      case .waiters: Due(waiterTickets: body(&state.waiters, state.machine) ? 1 : 0)
      }
    }
    sendTickets(due)
  }

  public func removeObserver(withHandle handle: StorageHandle) {
    let removed = state.withLock { $0.callbacks.remove(handle) + $0.waiters.remove(handle) }
    withExtendedLifetime(removed) {}
  }

  public func removeAllObservers(for status: StorageTaskStatus) {
    let removed = with(.callbacks) { $0.removeAll(for: status) }
    withExtendedLifetime(removed) {}
  }

  public func removeAllObservers() {
    let removed = with(.callbacks) { $0.removeAll(for: nil) }
    withExtendedLifetime(removed) {}
  }
}

// MARK: - Telling

extension StorageDownloadTask {
  func sendTickets(_ due: Due) {
    for _ in 0..<due.callbackTickets { callbackQueue.async { self.redeemTicket(.callbacks) } }
    for _ in 0..<due.waiterTickets { ownQueue.async { self.redeemTicket(.waiters) } }
  }

  /// Tells the oldest report of one side.
  private func redeemTicket(_ side: Side) {
    guard let delivery = with(side, { $0.take() }) else { return }
    for handle in delivery.handles {
      with(side) { $0.handler(handle) }?(delivery.report)
    }
    for completion in delivery.completions { completion(delivery.report) }
    let forgotten = with(side) { $0.finish(delivery) }
    withExtendedLifetime(forgotten) {}
  }

  private func with<Answer>(_ side: Side, _ body: (inout ObserverRegistry<TaskReport>) -> Answer) -> Answer {
    state.withLock { state in
      switch side {
      case .callbacks: body(&state.callbacks)
      case .waiters: body(&state.waiters)
      }
    }
  }
}
