// The course of a task as an async sequence.

import TransferModel

extension StorageDownloadTask {
  /// The task's events from now on, the present state first, up to the end.
  ///
  /// ```swift
  /// for await snapshot in reference.write(toFile: url).snapshots { … }
  /// ```
  ///
  /// Every `resume`, `pause` and the end are given; of several `progress` events that nobody has asked for yet, the last.
  /// Leaving the loop ends nothing: the task goes on. Every iterator is an observer of its own.
  public var snapshots: StorageTaskSnapshots { StorageTaskSnapshots(task: self) }
}

/// What ``StorageDownloadTask/snapshots`` gives.
public struct StorageTaskSnapshots: AsyncSequence, Sendable {
  let task: StorageDownloadTask

  public func makeAsyncIterator() -> Iterator { Iterator(SnapshotChannel(of: task)) }

  /// Gives the events to one loop. When the surrounding task is cancelled, it ends.
  public struct Iterator: AsyncIteratorProtocol {
    private let channel: SnapshotChannel

    fileprivate init(_ channel: SnapshotChannel) { self.channel = channel }

    public mutating func next() async -> StorageTaskSnapshot? { await channel.next() }
  }
}

/// Between the queue that tells events and the one loop that takes them.
private final class SnapshotChannel: Sendable {
  private struct State {
    var waiting: [StorageTaskSnapshot] = []
    var taker: CheckedContinuation<StorageTaskSnapshot?, Never>?
    /// The last event is in `waiting` or has been taken, or nobody wants any more.
    var isOver = false
  }

  private let task: StorageDownloadTask
  private let state = Lock(State())
  private let handles = Lock<[StorageHandle]>([])

  init(of task: StorageDownloadTask) {
    self.task = task
    let handles = task.observeCourse { [weak self] in self?.put($0) }
    self.handles.withLock { $0 = handles }
  }

  deinit {
    for handle in handles.withLock({ $0 }) { task.removeObserver(withHandle: handle) }
  }

  private func put(_ snapshot: StorageTaskSnapshot) {
    let taker = state.withLock { state -> CheckedContinuation<StorageTaskSnapshot?, Never>? in
      guard !state.isOver else { return nil }
      state.isOver = snapshot.status == .success || snapshot.status == .failure
      if let taker = state.taker.take() { return taker }
      if snapshot.status == .progress, state.waiting.last?.status == .progress { state.waiting.removeLast() }
      state.waiting.append(snapshot)
      return nil
    }
    taker?.resume(returning: snapshot)
  }

  func next() async -> StorageTaskSnapshot? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = state.withLock { state -> StorageTaskSnapshot?? in
          if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
          if state.isOver { return .some(nil) }
          state.taker = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let taker = state.withLock { state in
        state.isOver = true
        state.waiting = []
        return state.taker.take()
      }
      taker?.resume(returning: nil)
    }
  }
}
