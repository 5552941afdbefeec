// What a pool of transfers knows of its jobs. A value; the lock is the pool's.

import FileTransfer
import TransferModel

/// The pool's shared state; every change is one method.
struct PoolState: Sendable {
  var workers: [LoopConfined<LoopWorker>?]
  var finished: [FinishedTransfer] = []
  var running = 0
  var isClosed = false
  /// All was done and told; no worker is kept.
  private(set) var isOver = false
  var producer: CheckedContinuation<Void, Never>?
  var consumer: CheckedContinuation<Void, Never>?
  /// Those before `head` were taken, and are nil: a job goes when its transfer has ended, while its memory is still warm, and
  /// not in a heap of thousands when the queue is tidied.
  private var queue: [TransferJob?] = []
  private var head = 0
  /// Jobs that the budget lets begin, or not, when one that runs has ended.
  private var held: [TransferJob] = []
  private var idle: Set<Int>
  private var cancellation: TransferFailure?
  private var moves: Int64 = 0

  init(loops: Int) {
    workers = Array(repeating: nil, count: loops)
    idle = Set(0..<loops)
  }

  var queued: Int { queue.count - head + held.count }

  var motion: TransferPool.Motion {
    TransferPool.Motion(
      moves: moves, hasWork: running > 0 || queued > 0 || (consumer != nil && !finished.isEmpty))
  }

  /// Queues, and names the loops to wake.
  mutating func enqueue(_ jobs: [TransferJob]) -> (wake: Set<Int>, consumer: CheckedContinuation<Void, Never>?) {
    if let cancellation {
      finished += jobs.map { Self.notStarted($0, cancellation) }
      return ([], consumerIfDue(force: true))
    }
    queue += jobs.map(Optional.some)
    guard !jobs.isEmpty else { return ([], nil) }
    let wake = idle
    idle.removeAll()
    return (wake, nil)
  }

  mutating func dequeue(for loopIndex: Int) -> TransferJob? {
    guard head < queue.count, let job = queue[head].take() else {
      idle.insert(loopIndex)
      return nil
    }
    head += 1
    running += 1
    moves += 1
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 4096 {
      queue.removeFirst(head)
      head = 0
    }
    return job
  }

  /// Puts a job aside that was taken; at once back when nothing runs whose end it could wait for.
  mutating func hold(_ job: TransferJob) {
    running -= 1
    held.append(job)
    if running == 0 { _ = releaseHeld() }
  }

  /// Puts what is held in front of the queue, and names the loops to wake.
  mutating func releaseHeld() -> Set<Int> {
    guard !held.isEmpty else { return [] }
    queue.insert(contentsOf: held.map(Optional.some), at: head)
    held.removeAll()
    defer { idle.removeAll() }
    return idle
  }

  mutating func end(_ finished: FinishedTransfer) {
    running -= 1
    moves += 1
    self.finished.append(finished)
  }

  mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
    defer { producer = nil }
    return producer
  }

  /// The waiting consumer, if it is to be woken now.
  mutating func consumerIfDue(force: Bool) -> CheckedContinuation<Void, Never>? {
    let isDrained = running == 0 && queued == 0
    guard consumer != nil, (force && !finished.isEmpty) || (isDrained && (isClosed || !finished.isEmpty)) else {
      return nil
    }
    defer { consumer = nil }
    return consumer
  }

  mutating func takeFinished() -> [FinishedTransfer]? {
    guard !finished.isEmpty else { return nil }
    defer { finished = [] }
    return finished
  }

  /// After the last result: the pool and its workers hold each other, and would for ever.
  mutating func letWorkersGo() -> [FinishedTransfer]? {
    isOver = true
    workers = Array(repeating: nil, count: workers.count)
    return nil
  }

  mutating func cancel(
    _ failure: TransferFailure
  ) -> (producer: CheckedContinuation<Void, Never>?, consumer: CheckedContinuation<Void, Never>?) {
    cancellation = cancellation ?? failure
    finished += (held + queue[head...].compactMap(\.self)).map { Self.notStarted($0, failure) }
    queue = []
    held = []
    head = 0
    return (takeProducer(), consumerIfDue(force: true))
  }

  static func notStarted(_ job: TransferJob, _ failure: TransferFailure) -> FinishedTransfer {
    FinishedTransfer(of: job, result: DownloadResult(ending: .failed(failure)), wasStarted: false)
  }
}
