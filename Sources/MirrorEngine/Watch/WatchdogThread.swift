// Looks at the pool once a tick, on a thread of its own: neither a transfer thread nor one of the few that run tasks, as
// those are what may be stuck. What a look means is `Watchdog`.

import FileTransfer
import Glibc
import TransferModel

/// Watches one pool from `start` to `stop`.
final class WatchdogThread: Sendable {
  private struct State {
    var isOver = false
    var answers: [Int: [WorkerState]] = [:]
    var asked: Set<Int> = []
    /// Answers to an earlier question are not taken.
    var question = 0
  }

  private let pool: TransferPool
  private let progress: RunProgress
  private let clocks: any Clocks
  private let settings: Watchdog.Settings
  private let stopRun: @Sendable (TransferFailure) -> Void
  private let giveUp: @Sendable () -> Void
  private let state = Lock(State())

  /// - Parameters:
  ///   - stopRun: told once that the run is stuck, on the watching thread.
  ///   - giveUp: told once that it does not end even so.
  init(
    _ pool: TransferPool, progress: RunProgress, clocks: any Clocks, settings: Watchdog.Settings,
    stopRun: @escaping @Sendable (TransferFailure) -> Void, giveUp: @escaping @Sendable () -> Void
  ) {
    self.pool = pool
    self.progress = progress
    self.clocks = clocks
    self.settings = settings
    self.stopRun = stopRun
    self.giveUp = giveUp
  }

  /// Begins to watch. A thread that cannot be had is done without: the run has its time-outs all the same.
  func start() {
    DetachedThread.start { self.watch() }
  }

  /// The run is over. The thread ends with its next tick.
  func stop() { state.withLock { $0.isOver = true } }

  private func watch() {
    var watchdog = Watchdog(settings)
    while true {
      usleep(UInt32(clamping: settings.tick.inMilliseconds * 1_000))
      guard !state.withLock({ $0.isOver }) else { return }
      switch watchdog.judge(look(), now: clocks.monotonic()) {
      case .calm: break
      case .ask: ask()
      case .stuck(let failure): stopRun(failure)
      case .hopeless: return giveUp()
      }
    }
  }

  private func look() -> Watchdog.Look {
    let motion = pool.motion
    return state.withLock { state in
      Watchdog.Look(
        moves: motion.moves + progress.received.bytes, hasWork: motion.hasWork,
        workers: state.answers.keys.sorted().flatMap { state.answers[$0] ?? [] },
        silentLoops: state.asked.subtracting(state.answers.keys))
    }
  }

  private func ask() {
    let question = state.withLock { state in
      state.question += 1
      state.answers = [:]
      state.asked = Set(0..<pool.loopCount)
      return state.question
    }
    pool.askWorkers { [self] loop, workers in
      state.withLock { state in
        if state.question == question { state.answers[loop] = workers }
      }
    }
  }
}
