// What the state is told of a part that several streams fill. Parts that grow in order only are written down once
// (`DownloadOrders`): their length says the rest.

import FileTransfer
import MirrorPlan
import TransferModel

/// Keeps the record of one entry's part in step with its file.
final class PartBooks: StretchKeeper {
  private let entry: Entry
  private let state: StateStore
  private let clocks: any Clocks
  private let threads: BlockingThreads
  /// Counts what was asked for, so that what is overtaken is not written. Held while the state is written, so that
  /// nothing overtakes it there; only this entry waits for it.
  private let turn = Lock(0)

  /// - threads: where syncing and writing may take their time.
  init(_ entry: Entry, state: StateStore, clocks: any Clocks, threads: BlockingThreads) {
    self.entry = entry
    self.state = state
    self.clocks = clocks
    self.threads = threads
  }

  func keep(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void, done: @escaping @Sendable (Bool) -> Void
  ) {
    let number = nextTurn()
    threads.start { done(self.write(version, stretches, after: syncing, turn: number)) }
  }

  func keepNow(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void
  ) -> Bool {
    write(version, stretches, after: syncing, turn: nextTurn())
  }

  /// A record that cannot be dropped is of a version that the server still has to confirm before its part is continued.
  func forget() {
    turn.withLock { turn in
      turn += 1
      try? state.dropPart(for: entry.destination, durably: true)
    }
  }

  func end() { _ = nextTurn() }

  private func nextTurn() -> Int {
    turn.withLock { turn in
      turn += 1
      return turn
    }
  }

  private func write(
    _ version: ObjectVersion, _ stretches: [Range<Int64>], after syncing: () throws(TransferFailure) -> Void,
    turn number: Int
  ) -> Bool {
    guard let record = PartRecord(entry, version, noted: clocks.utc(), stretches: stretches) else { return false }
    do throws(TransferFailure) {
      try syncing()
      return try turn.withLock { turn throws(TransferFailure) in
        guard turn == number else { return false }
        try state.keep(record, durably: true)
        return true
      }
    } catch {
      return false
    }
  }
}
