// The project's one lock: state that several threads share, and the mutex that guards it.
// Not for waiting: nothing here blocks longer than the closure it is given.

import Glibc

/// What a lock holds that guards an activity and no value. Not `Void`: an empty property has the address of the object's
/// first word, and the thread sanitizer takes a write to the one for a race with every read of the other.
package struct Exclusive: Sendable {
  private var place: UInt8 = 0
  package init() {}
}

/// A value guarded by a `pthread_mutex_t`.
///
/// `Synchronization.Mutex` would do the same; on Linux the thread sanitizer does not see into it and reports races that
/// are none, so the project has one lock type that the sanitizer understands.
package final class Lock<State>: Sendable {
  // Both are touched only between lock and unlock; the mutex itself is made once and freed at deinit.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private nonisolated(unsafe) var state: State

  package init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed with \(result)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the state while no one else has it. Not reentrant. Nothing that may call back into the owner, and
  /// nothing that blocks, belongs in `body`.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
