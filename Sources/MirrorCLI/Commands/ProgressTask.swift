// Shows a run's counters while it lasts.

import MirrorEngine
import TransferModel

/// A task that reads the counters four times a second; what is drawn, and how often, is `Talk`'s.
struct ProgressTask {
  private let task: Task<Void, Never>
  private let talk: Talk

  init(_ progress: RunProgress, _ talk: Talk, _ clocks: any Clocks) {
    self.talk = talk
    task = Task {
      var meter = RateMeter()
      while !Task.isCancelled {
        let counts = progress.snapshot
        meter.add(counts.bytesReceived, at: clocks.monotonic())
        talk.show(
          ProgressSnapshot(
            itemsDone: counts.done, itemsTotal: counts.planned, itemsFailed: counts.failed,
            bytesDone: counts.bytesReceived,
            bytesTotal: counts.bytesExpected > 0 ? max(counts.bytesExpected, counts.bytesReceived) : nil,
            rate: meter.rate, transfers: Self.transfers(progress.active.lines, now: clocks.monotonic())))
        try? await Task.sleep(for: .milliseconds(250))
      }
    }
  }

  private static func transfers(
    _ lines: [ActiveTransfers.Line], now: MonotonicInstant
  ) -> [ProgressSnapshot.Transfer] {
    lines.map { line in
      ProgressSnapshot.Transfer(
        destination: line.destination, bytes: line.bytes, totalBytes: line.total,
        phase: line.waiting.map { .waiting(reason: $0.reason, left: max(.zero, $0.until - now)) } ?? .receiving)
    }
  }

  /// Stops, and takes the display away.
  func end() async {
    task.cancel()
    await task.value
    talk.finishProgress()
  }
}
