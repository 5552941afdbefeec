// Lets the main thread wait for asynchronous work with its signals blocked.
//
// Not `await` in `main.swift`: there the runtime parks the main thread in sigsuspend(2) with no signal blocked, and the
// first SIGINT or SIGTERM ends the process before `SignalWatch` hears of it.

import Glibc
import TransferModel

enum MainThread {
  /// Runs `work` on the threads for tasks, and returns its result to the calling thread, which waits.
  static func run(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
    let end = End()
    Task.detached { end.arrive(await work()) }
    return end.wait()
  }

  /// A result that one thread waits for. A semaphore and not a condition, because it is there once and for all.
  private final class End: Sendable {
    /// Initialised in `init`, destroyed in `deinit`; sem_post(3) and sem_wait(3) may be called from any thread.
    private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let result = Lock<Int32>(0)

    init() {
      let code = sem_init(semaphore, 0, 0)
      precondition(code == 0, "a semaphore of this process with the value 0 is always to be had")
    }

    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    func arrive(_ value: Int32) {
      result.withLock { $0 = value }
      sem_post(semaphore)
    }

    func wait() -> Int32 {
      while sem_wait(semaphore) != 0, errno == EINTR {}
      return result.withLock { $0 }
    }
  }
}
