// The transfers of one loop thread: which run, and when another may begin. Never leaves its thread.

import FileTransfer
import TransferModel

/// The downloads of one loop; lives on its thread.
final class LoopWorker {
  private let pool: TransferPool
  private let services: TransferServices
  private let loop: any TransferLoop
  private let slots: ClosedRange<Int>
  /// Streams at the same time, beyond which none is lent: as many as the loop's share of the slots, and of the connections
  /// that one host may have.
  private let streams: Int
  private var lent = 0
  private var active: [Int: ObjectDownload] = [:]
  private var isFilling = false
  private var flushTimer: TimerID?

  init(pool: TransferPool, services: TransferServices, loop: any TransferLoop, slots: ClosedRange<Int>, streams: Int) {
    self.pool = pool
    self.services = services
    self.loop = loop
    self.slots = slots
    self.streams = streams
  }

  /// Starts jobs until every slot is taken or there is none. A download that ends at once comes back here through its
  /// completion, so the loop guards against nesting.
  func fill() {
    guard !isFilling else { return }
    isFilling = true
    defer { isFilling = false }
    while active.count < width, let job = pool.take(for: loop.index) { start(job) }
  }

  /// Some more than the loop would run, so that none of its places waits for a job.
  private var width: Int {
    guard slots.upperBound > slots.lowerBound else { return slots.lowerBound }
    return min(slots.upperBound, max(slots.lowerBound, loop.worthRunning + slots.lowerBound / 2))
  }

  private func start(_ job: TransferJob) {
    let download = ObjectDownload(job.spec, services: services, loop: loop, streamLender: self) { [self] result in
      active[job.ticket] = nil
      pool.finish(FinishedTransfer(of: job, result: result, wasStarted: true))
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

/// Transfers come first: a stream beyond a download's first is lent while slots are free and no job waits.
extension LoopWorker: StreamLender {
  func lendStream() -> Bool {
    guard active.count + lent < streams, !pool.hasWaitingJobs else { return false }
    lent += 1
    return true
  }

  func giveBackStream() { lent -= 1 }

  var wantsStreamsBack: Bool { lent > 0 && (active.count + lent > width || pool.hasWaitingJobs) }
}
