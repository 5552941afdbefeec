// Rows on their way to the disk: which wait, which are being written. A value; the locks are `StateStore`'s.

import TransferModel

/// Collects changes until there are enough for a transaction.
struct StateQueue: Sendable {
  private let batchSize: Int
  private let longestWait: Duration
  private var waiting = StateChanges()
  private var beingWritten = StateChanges()
  /// How many must wait before `take` gives them away by itself.
  private var threshold: Int
  /// Since when something waits; later than that after a failure, so that a full disk is not asked again for every row.
  private var oldest: MonotonicInstant?

  init(batchSize: Int, longestWait: Duration = .seconds(3_600)) {
    self.batchSize = max(1, batchSize)
    self.longestWait = longestWait
    threshold = self.batchSize
    waiting = StateChanges(capacity: threshold)
  }

  /// Whether what waits is to be committed: it is a whole batch, or its first row has waited for long enough.
  func isDue(at now: MonotonicInstant) -> Bool {
    waiting.count >= threshold || oldest.map { now - $0 >= longestWait } == true
  }

  /// The last word on a destination that is not on the disk yet: a row, `.some(nil)` for one that is to go, or nil when
  /// nothing waits for it.
  func pending(for destination: RelativePath) -> StateRow?? {
    waiting.rows[destination] ?? beingWritten.rows[destination]
  }

  var hasPending: Bool { !waiting.isEmpty || !beingWritten.isEmpty }

  mutating func put(_ row: StateRow, at now: MonotonicInstant) {
    waiting.put(row)
    oldest = oldest ?? now
  }

  mutating func drop(_ destination: RelativePath, at now: MonotonicInstant) {
    waiting.drop(destination)
    oldest = oldest ?? now
  }

  /// Hands out all that waits. Until `written` or `failed` it is still found by `pending`.
  mutating func take() -> StateChanges {
    beingWritten = waiting
    waiting = StateChanges(capacity: threshold)
    oldest = nil
    return beingWritten
  }

  mutating func written() {
    beingWritten = StateChanges()
    threshold = batchSize
  }

  /// Takes the batch back, under what came meanwhile. The next try by itself is a whole batch away, so that a full disk
  /// is not asked again for every row.
  mutating func failed(at now: MonotonicInstant) {
    oldest = now
    waiting = beingWritten.overlaid(by: waiting)
    beingWritten = StateChanges()
    threshold = waiting.count + batchSize
  }
}
