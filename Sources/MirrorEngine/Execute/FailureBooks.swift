// Tells the state what failed, so that `mirror status` can say since when.

import MirrorPlan
import TransferModel

/// Notes the failures of one run.
struct FailureBooks: Sendable {
  let state: StateStore
  let ledger: RunLedger
  /// When the run began; its failures are of that moment.
  let start: Timestamp

  func note(_ outcomes: [EntryOutcome]) async {
    await write(
      outcomes.compactMap { outcome in
        outcome.failure.flatMap {
          record($0, at: outcome.destination, tree: outcome.tree, source: outcome.reference)
        }
      })
  }

  /// Since when an outcome's entry fails; nil when it does not, or was not tried.
  func failingSince(_ outcome: EntryOutcome) -> Timestamp? {
    guard let failure = outcome.failure, failure.failureClass != .cancelled else { return nil }
    return (try? state.failure(at: outcome.destination))?.since ?? start
  }

  /// A listing that failed stands for its tree.
  func note(_ failure: TransferFailure, listing tree: String, source: String) async {
    await write([record(failure, at: tree, tree: tree, source: source)].compactMap { $0 })
  }

  private func record(
    _ failure: TransferFailure, at place: String, tree: String?, source: String
  ) -> FailureRecord? {
    guard failure.failureClass != .cancelled else { return nil }
    return FailureRecord(
      place: place, tree: tree, source: source, reason: failure.reason, message: failure.message, since: start,
      last: start)
  }

  private func write(_ records: [FailureRecord]) async {
    do throws(TransferFailure) { try state.noteFailures(records) } catch {
      await ledger.add(error, at: state.location.file)
    }
  }
}
