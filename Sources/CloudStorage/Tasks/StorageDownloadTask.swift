// One download as its user holds it. What may happen when is `DownloadTaskMachine`, who is told is `ObserverRegistry`; here
// their answers are carried out, never under the lock. The transfer is `StorageDownloadTask+Transfer.swift`, observers are
// `StorageDownloadTask+Observing.swift`.

import Dispatch
import FileTransfer
import Foundation
import TransferModel

/// A download that can be observed, held and ended.
///
/// Made by ``StorageReference/getData(maxSize:completion:)`` and ``StorageReference/write(toFile:completion:)`` and started
/// by them. While it is under way it lives by itself; a task that is held and that nobody keeps any more is given up, and
/// what it had received is removed.
public final class StorageDownloadTask: StorageObservableTask, StorageTaskManagement {
  /// What it takes to download; `invalid` is refused without a request.
  enum Work: Sendable {
    case order(DownloadOrder)
    case invalid(StorageError)
  }

  struct State {
    var machine = DownloadTaskMachine()
    /// On `Storage.callbackQueue`.
    var callbacks = ObserverRegistry<TaskReport>()
    /// On `ownQueue`, for async functions, which must not depend on a queue that may not run.
    var waiters = ObserverRegistry<TaskReport>()
    /// This task, as long as it is under way.
    var itself: StorageDownloadTask?
  }

  /// What has to be done once the lock is released.
  struct Due {
    var callbackTickets = 0
    var waiterTickets = 0
    var look = false
    var step: DownloadTaskMachine.Step?
    /// Only held, so that it is released late.
    var released: StorageDownloadTask?
  }

  /// Which of the two registries.
  enum Side: Sendable { case callbacks, waiters }

  /// What is downloaded.
  public let reference: StorageReference
  let work: Work
  let callbackQueue: DispatchQueue
  let ownQueue = DispatchQueue(label: "CloudStorage.task")
  let state = Lock(State())
  /// On the transfer's thread, from `begin` until its end.
  let download = LoopConfined<ObjectDownload?>(nil)
  let memory = Lock<DataSink?>(nil)
  let data = Lock<Data?>(nil)
  private let storedVersion = Lock<ObjectVersion?>(nil)

  init(_ reference: StorageReference, _ work: Work) {
    self.reference = reference
    self.work = work
    callbackQueue = reference.storage.callbackQueue
  }

  deinit {
    guard case .order(let order) = work, state.withLock({ $0.machine.transfer == .halted }) else { return }
    let download = download
    order.operation.services.transport.run(onLoop: order.operation.loop) { loop in
      download.value(on: loop)?.cancel()
      download.set(nil, on: loop)
    }
  }

  /// The generation of the bytes that were received; nil before the end, or when the server named none.
  var generation: Int64? { storedVersion.withLock { $0?.generation } }

  func note(_ version: ObjectVersion) { storedVersion.withLock { $0 = version } }

  public var snapshot: StorageTaskSnapshot { snapshot(state.withLock { Self.report($0.machine) }) }

  func snapshot(_ report: TaskReport) -> StorageTaskSnapshot {
    StorageTaskSnapshot(task: self, reference: reference, report)
  }

  static func report(_ machine: DownloadTaskMachine, as status: StorageTaskStatus? = nil) -> TaskReport {
    let status = status ?? machine.status
    return TaskReport(status: status, counts: machine.counts, error: status == .failure ? machine.error : nil)
  }
}

// MARK: - Management

extension StorageDownloadTask {
  public func enqueue() {
    guard case .invalid(let error) = work else { return signal(.enqueue) }
    signal(.ended(error, TransferCounts()))
  }

  public func pause() { signal(.pause) }
  public func resume() { signal(.resume) }
  public func cancel() { signal(.cancel) }

  /// Feeds the machine and carries out what it answers. `loop` is given on the transfer's thread.
  func signal(_ event: DownloadTaskMachine.Event, on loop: (any TransferLoop)? = nil) {
    var due = state.withLock { state in
      var due = Due()
      for action in state.machine.handle(event) {
        switch action {
        case .askForLook: due.look = true
        case .step(let step): due.step = step
        case .report(let status): Self.post(status, &state, &due)
        }
      }
      if state.machine.isUnderWay {
        state.itself = self
      } else {
        swap(&due.released, &state.itself)
      }
      return due
    }
    sendTickets(due)
    if let step = due.step, let loop { take(step, on: loop) }
    if due.look { askForLook() }
    due.released = nil
  }

  private static func post(_ status: StorageTaskStatus, _ state: inout State, _ due: inout Due) {
    let report = report(state.machine, as: status)
    let isEnd = status == .success || status == .failure
    let tickets =
      isEnd
      ? (state.callbacks.postEnd(status, report), state.waiters.postEnd(status, report))
      : (state.callbacks.post(status, report), state.waiters.post(status, report))
    due.callbackTickets += tickets.0 ? 1 : 0
    due.waiterTickets += tickets.1 ? 1 : 0
  }
}
