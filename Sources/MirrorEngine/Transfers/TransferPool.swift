// The worker pool: downloads in, results out, in batches. Transfer threads pull their next job themselves, so that a
// file costs no hop between threads; only batches cross into structured concurrency.

package import FileTransfer
package import TransferModel

/// One download that waits for its turn. A class, because it is passed on four times.
package final class TransferJob: Sendable {
  /// The submitter's own number for it.
  package let ticket: Int
  package let spec: Shared<DownloadSpec>
  /// What the download is for, given back with its result; nil = the submitter knows.
  let entry: DecidedEntry?

  package init(ticket: Int, spec: Shared<DownloadSpec>, entry: DecidedEntry? = nil) {
    self.ticket = ticket
    self.spec = spec
    self.entry = entry
  }
}

/// What became of one job. A class for the same reason.
package final class FinishedTransfer: Sendable {
  package let ticket: Int
  let entry: DecidedEntry?
  package let result: DownloadResult
  /// False when the job was cancelled before its first request.
  package let wasStarted: Bool

  init(of job: TransferJob, result: DownloadResult, wasStarted: Bool) {
    ticket = job.ticket
    entry = job.entry
    self.result = result
    self.wasStarted = wasStarted
  }
}

/// Runs jobs on the transport's loops, so many at a time as `slots` says. One producer, one consumer.
package final class TransferPool: Sendable {
  /// Results are handed over when there are this many, or nothing runs, or a quarter of a second has passed.
  private static let batchSize = 128

  private let services: TransferServices
  private let slots: ClosedRange<Int>
  private let perHost: Int
  private let stopsAtOnce: @Sendable (TransferFailure) -> Void
  private let allowance: TransferAllowance?
  private let capacity: Int
  private let state: Lock<PoolState>

  /// - Parameters:
  ///   - slots: transfers at the same time, all loops together: at first, and at most when the loops find that more pays.
  ///   - perHost: streams to one host at the same time that a download may have beyond its first.
  ///   - allowance: what may be transferred at all; nil = everything.
  ///   - stopsAtOnce: told, on a transfer thread, of a failure that every further transfer would share, before another one
  ///     begins. Its batch follows.
  package init(
    services: TransferServices, slots: ClosedRange<Int>, perHost: Int = 1, allowance: TransferAllowance? = nil,
    stopsAtOnce: @escaping @Sendable (TransferFailure) -> Void = { _ in }
  ) {
    self.services = services
    self.allowance = allowance
    self.stopsAtOnce = stopsAtOnce
    self.slots = slots
    self.perHost = perHost
    // The queue must stay ahead of the slots: a loop that runs dry waits for two thread wake-ups.
    capacity = max(4 * slots.upperBound, 512)
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
    let first = share(of: slots.lowerBound, ofLoop: loop.index)
    let most = max(first, share(of: slots.upperBound, ofLoop: loop.index))
    let worker = LoopWorker(
      pool: self, services: services, loop: loop, slots: first...most,
      streams: min(first, perHost / services.transport.loopCount))
    let box = LoopConfined(worker)
    state.withLock { state in
      if !state.isOver { state.workers[loop.index] = box }
    }
    return box.value(on: loop)
  }

  /// The loop's part of some slots. All parts together are as many as there are; every loop has at least one.
  private func share(of slots: Int, ofLoop index: Int) -> Int {
    let loops = services.transport.loopCount
    return max(1, (slots + loops - 1 - index) / loops)
  }

  /// Whether jobs wait for a slot.
  var hasWaitingJobs: Bool { state.withLock { $0.queued > 0 } }

  /// The next job for a loop; nil leaves the loop idle until there is one.
  func take(for loopIndex: Int) -> TransferJob? {
    while true {
      let (job, producer) = state.withLock { state in
        let job = state.dequeue(for: loopIndex)
        return (job, state.queued < capacity / 2 ? state.takeProducer() : nil)
      }
      producer?.resume()
      guard let job, let allowance else { return job }
      switch allowance.ask(job) {
      case .begin: return job
      case .wait: state.withLock { $0.hold(job) }
      case .refuse(let failure): finish(PoolState.notStarted(job, failure))
      }
    }
  }

  func finish(_ finished: FinishedTransfer) {
    if case .failed(let failure) = finished.result.ending, failure.stopsTheRun { stopsAtOnce(failure) }
    allowance?.end(finished)
    let (consumer, toWake) = state.withLock { state in
      state.end(finished)
      let toWake = state.releaseHeld()
      return (state.consumerIfDue(force: state.finished.count >= Self.batchSize), toWake)
    }
    consumer?.resume()
    for index in toWake { wake(loop: index) }
  }

  /// Hands over what there is, so that a slow run still reports.
  func flush() {
    state.withLock { $0.consumerIfDue(force: true) }?.resume()
  }
}
