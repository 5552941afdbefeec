// The worker pool: downloads in, results out, in batches. Transfer threads pull their next job themselves, so that a
// file costs no hop between threads; only batches cross into structured concurrency.

package import FileTransfer
package import TransferModel

/// One download that waits for its turn. A class, because it is passed on four times: a copy of a spec is ten references
/// to count.
package final class TransferJob: Sendable {
  /// The submitter's own number for it.
  package let ticket: Int
  package let spec: DownloadSpec

  package init(ticket: Int, spec: DownloadSpec) {
    self.ticket = ticket
    self.spec = spec
  }
}

/// What became of one job. A class for the same reason.
package final class FinishedTransfer: Sendable {
  package let ticket: Int
  package let result: DownloadResult
  /// False when the job was cancelled before its first request.
  package let wasStarted: Bool

  init(ticket: Int, result: DownloadResult, wasStarted: Bool) {
    self.ticket = ticket
    self.result = result
    self.wasStarted = wasStarted
  }
}

/// Runs jobs on the transport's loops, at most `slots` at a time. One producer, one consumer.
package final class TransferPool: Sendable {
  /// Results are handed over when there are this many, or nothing runs, or a quarter of a second has passed.
  private static let batchSize = 128

  private let services: TransferServices
  private let slots: Int
  private let stopsAtOnce: @Sendable (TransferFailure) -> Void
  private let capacity: Int
  private let state: Lock<PoolState>

  /// - Parameters:
  ///   - slots: transfers at the same time, all loops together.
  ///   - stopsAtOnce: told, on a transfer thread, of a failure that every further transfer would share, before another one
  ///     begins. Its batch follows.
  package init(
    services: TransferServices, slots: Int, stopsAtOnce: @escaping @Sendable (TransferFailure) -> Void = { _ in }
  ) {
    self.services = services
    self.stopsAtOnce = stopsAtOnce
    self.slots = slots
    // The queue must stay ahead of the slots: a loop that runs dry waits for two thread wake-ups.
    capacity = max(4 * slots, 512)
    state = Lock(PoolState(loops: services.transport.loopCount))
  }

  /// Queues jobs; waits while the queue is full. After `cancel` they come back as not started.
  package func submit(_ jobs: [TransferJob]) async {
    let (toWake, consumer) = state.withLock { $0.enqueue(jobs) }
    consumer?.resume()
    for index in toWake { wake(loop: index) }
    await withCheckedContinuation { continuation in
      let proceed = state.withLock { state in
        if state.queued < capacity { return true }
        state.producer = continuation
        return false
      }
      if proceed { continuation.resume() }
    }
  }

  /// No more jobs will come; `nextBatch` gives nil once all are done.
  package func close() {
    let consumer = state.withLock { state in
      state.isClosed = true
      return state.consumerIfDue(force: false)
    }
    consumer?.resume()
  }

  /// Some results, at least one; nil after the last.
  package func nextBatch() async -> [FinishedTransfer]? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isDue = state.withLock { state in
        state.consumer = continuation
        return state.consumerIfDue(force: false) != nil
      }
      if isDue { continuation.resume() }
    }
    return state.withLock { $0.takeFinished() ?? $0.letWorkersGo() }
  }

  /// Ends all running downloads with `failure`, keeping what can be continued, and starts no other. Idempotent.
  package func cancel(_ failure: TransferFailure) {
    let (producer, consumer) = state.withLock { $0.cancel(failure) }
    producer?.resume()
    consumer?.resume()
    guard !state.withLock({ $0.isOver }) else { return }
    for index in 0..<services.transport.loopCount {
      services.transport.run(onLoop: index) { [self] loop in worker(of: loop).cancelAll(failure) }
    }
  }

  // MARK: For whoever watches

  /// What is seen from outside.
  struct Motion: Sendable {
    /// Grows whenever a job begins or ends.
    var moves: Int64
    /// Jobs run or wait, or results lie there and nobody was told.
    var hasWork: Bool
  }

  var motion: Motion { state.withLock { $0.motion } }
  var loopCount: Int { services.transport.loopCount }

  /// Asks every loop what its workers wait for; `answer` is called on each loop's thread that still lives.
  func askWorkers(_ answer: @escaping @Sendable (Int, [WorkerState]) -> Void) {
    for index in 0..<loopCount {
      services.transport.run(onLoop: index) { [self] loop in answer(index, worker(of: loop).states) }
    }
  }

  // MARK: On the loops

  private func wake(loop index: Int) {
    services.transport.run(onLoop: index) { [self] loop in worker(of: loop).fill() }
  }

  private func worker(of loop: any TransferLoop) -> LoopWorker {
    if let box = state.withLock({ $0.workers[loop.index] }) { return box.value(on: loop) }
    let worker = LoopWorker(pool: self, services: services, loop: loop, slots: share(ofLoop: loop.index))
    let box = LoopConfined(worker)
    state.withLock { state in
      if !state.isOver { state.workers[loop.index] = box }
    }
    return box.value(on: loop)
  }

  /// The loop's part of the slots. All parts together are as many as there are; every loop has at least one.
  private func share(ofLoop index: Int) -> Int {
    let loops = services.transport.loopCount
    return max(1, (slots + loops - 1 - index) / loops)
  }

  /// The next job for a loop; nil leaves the loop idle until there is one.
  fileprivate func take(for loopIndex: Int) -> TransferJob? {
    let (job, producer) = state.withLock { state in
      let job = state.dequeue(for: loopIndex)
      return (job, state.queued < capacity / 2 ? state.takeProducer() : nil)
    }
    producer?.resume()
    return job
  }

  fileprivate func finish(_ finished: FinishedTransfer) {
    if case .failed(let failure) = finished.result.ending, failure.stopsTheRun { stopsAtOnce(failure) }
    let consumer = state.withLock { state in
      state.end(finished)
      return state.consumerIfDue(force: state.finished.count >= Self.batchSize)
    }
    consumer?.resume()
  }

  /// Hands over what there is, so that a slow run still reports.
  fileprivate func flush() {
    state.withLock { $0.consumerIfDue(force: true) }?.resume()
  }
}

/// The pool's shared state; every change is one method.
private struct PoolState: Sendable {
  var workers: [LoopConfined<LoopWorker>?]
  var finished: [FinishedTransfer] = []
  var running = 0
  var isClosed = false
  /// All was done and told; no worker is kept.
  private(set) var isOver = false
  var producer: CheckedContinuation<Void, Never>?
  var consumer: CheckedContinuation<Void, Never>?
  private var queue: [TransferJob] = []
  private var head = 0
  private var idle: Set<Int>
  private var cancellation: TransferFailure?
  private var moves: Int64 = 0

  init(loops: Int) {
    workers = Array(repeating: nil, count: loops)
    idle = Set(0..<loops)
  }

  var queued: Int { queue.count - head }

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
    queue += jobs
    guard !jobs.isEmpty else { return ([], nil) }
    let wake = idle
    idle.removeAll()
    return (wake, nil)
  }

  mutating func dequeue(for loopIndex: Int) -> TransferJob? {
    guard head < queue.count else {
      idle.insert(loopIndex)
      return nil
    }
    let job = queue[head]
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
    finished += queue[head...].map { Self.notStarted($0, failure) }
    queue = []
    head = 0
    return (takeProducer(), consumerIfDue(force: true))
  }

  private static func notStarted(_ job: TransferJob, _ failure: TransferFailure) -> FinishedTransfer {
    FinishedTransfer(ticket: job.ticket, result: DownloadResult(ending: .failed(failure)), wasStarted: false)
  }
}

/// The downloads of one loop; lives on its thread.
private final class LoopWorker {
  private let pool: TransferPool
  private let services: TransferServices
  private let loop: any TransferLoop
  private let slots: Int
  private var active: [Int: ObjectDownload] = [:]
  private var isFilling = false
  private var flushTimer: TimerID?

  init(pool: TransferPool, services: TransferServices, loop: any TransferLoop, slots: Int) {
    self.pool = pool
    self.services = services
    self.loop = loop
    self.slots = slots
  }

  /// Starts jobs until every slot is taken or there is none. A download that ends at once comes back here through its
  /// completion, so the loop guards against nesting.
  func fill() {
    guard !isFilling else { return }
    isFilling = true
    defer { isFilling = false }
    while active.count < slots, let job = pool.take(for: loop.index) { start(job) }
  }

  private func start(_ job: TransferJob) {
    let download = ObjectDownload(job.spec, services: services, loop: loop) { [self] result in
      active[job.ticket] = nil
      pool.finish(FinishedTransfer(ticket: job.ticket, result: result, wasStarted: true))
      scheduleFlush()
      fill()
    }
    active[job.ticket] = download
    download.start()
  }

  var states: [WorkerState] {
    active.sorted { $0.key < $1.key }.map { _, download in
      WorkerState(loop: loop.index, place: download.place, activity: download.activity)
    }
  }

  func cancelAll(_ failure: TransferFailure) {
    for download in Array(active.values) { download.cancel(failure) }
  }

  private func scheduleFlush() {
    guard flushTimer == nil else { return }
    flushTimer = loop.schedule(after: .milliseconds(250)) { [self] in
      flushTimer = nil
      pool.flush()
    }
  }
}
