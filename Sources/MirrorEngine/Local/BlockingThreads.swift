// Threads for work that waits on the disk, so that the cooperative pool (one thread a core) never does.

import Glibc
import TransferModel

/// A few threads that run closures one after the other. Ends its threads when the last reference goes.
package final class BlockingThreads: Sendable {
  private let queue: WorkQueue

  /// - Parameter count: how many closures run at the same time; at least 1.
  package init(count: Int) {
    let queue = WorkQueue()
    self.queue = queue
    for _ in 0..<max(1, count) { queue.startThread() }
  }

  deinit { queue.close() }

  /// Runs `body` on one of the threads, soon; does not wait for it.
  func start(_ body: @escaping @Sendable () -> Void) { queue.add(body) }

  /// Runs `body` on one of the threads and returns what it gives.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.add { continuation.resume(returning: body()) }
    }
  }
}

/// Closures in order, and the threads that wait for them.
private final class WorkQueue: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var isClosed = false
  }

  // A condition variable needs the mutex itself, so this is the one place beside `Lock` that owns one. Both live as long
  // as the queue, which every thread keeps alive; the state is touched only with the mutex held.
  private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private nonisolated(unsafe) var state = State()

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    state.work.append(work)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    state.isClosed = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  func startThread() {
    DetachedThread.start { self.work() }
  }

  private func work() {
    while let next = take() { next() }
  }

  private func take() -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while state.work.isEmpty, !state.isClosed { pthread_cond_wait(condition, mutex) }
    return state.work.isEmpty ? nil : state.work.removeFirst()
  }
}
