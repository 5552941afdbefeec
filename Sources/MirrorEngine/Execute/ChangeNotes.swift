// Which ends of entries `on_change` is told of. The list is `DestinationList`.

import LocalFiles
import MirrorPlan
import TransferModel

/// Picks out of a run's work what changes the tree.
struct ChangeNotes: Sendable {
  let list: DestinationList
  /// Whether the run before came to its end, or there was none.
  let lastRunEnded: Bool

  /// Of what needs no transfer, and is about to be done.
  func atOnce(_ work: [PlannedWork]) -> [RelativePath] {
    work.compactMap { item in
      guard case .entry(let entry) = item, Self.isChange(entry.decision.action, lastRunEnded: lastRunEnded) else {
        return nil
      }
      return entry.facts.entry.destination
    }
  }

  /// Of what was transferred, and is about to be recorded.
  func transferred(_ batch: [FinishedTransfer]) -> [RelativePath] {
    batch.compactMap { finished in
      guard case .stored = finished.result.ending else { return nil }
      return finished.entry?.facts.entry.destination
    }
  }

  /// | action | is done at once, and changes the tree |
  /// | --- | --- |
  /// | `delete`, `metadata` | yes |
  /// | `adopt` | when the run before did not come to its end, and may have put the file there |
  /// | `download`, `update` | no: their transfers are looked at, which may find the same bytes |
  /// | `skip`, `conflict`, `error` | no |
  static func isChange(_ action: Action, lastRunEnded: Bool) -> Bool {
    switch action {
    case .delete, .metadata: true
    case .adopt: !lastRunEnded
    case .download, .update, .skip, .conflict, .error: false
    }
  }
}
