// What a run adds up to; folded outcome by outcome.

package struct ReportTotals: Hashable, Sendable {
  private var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Body bytes received.
  package private(set) var bytes: Int64 = 0
  /// Bytes of earlier runs that did not have to be received again.
  package private(set) var bytesResumed: Int64 = 0
  /// Bytes that were received and thrown away.
  package private(set) var bytesWasted: Int64 = 0
  /// Exchanges beyond the first of each entry.
  package private(set) var retries = 0
  /// Entries that stayed because of something weaker than a strong ETag.
  package private(set) var weakComparisons = 0
  /// Files whose bytes nothing proves to be whole.
  package private(set) var unproven = 0
  /// Files that are not as mirror had left them and that stay: by `on_local_change: keep`, or instead of being pruned.
  package private(set) var keptChanges = 0

  package init() {}

  package mutating func add(_ entry: EntryOutcome) {
    counts[entry.outcome.place] += 1
    bytes = bytes.addingSaturated(entry.bytes)
    bytesResumed = bytesResumed.addingSaturated(entry.bytesResumed)
    bytesWasted = bytesWasted.addingSaturated(entry.bytesWasted)
    retries += max(0, entry.attempts.count - 1)
    if entry.provenBy == .nothing { unproven += 1 }
    guard entry.outcome == .unchanged else { return }
    switch entry.reason {
    case .localChange, .localDiffers: keptChanges += 1
    case .gone: break
    default: if !entry.comparedBy.isStrong { weakComparisons += 1 }
    }
  }

  package subscript(outcome: Outcome) -> Int { counts[outcome.place] }

  package var all: Int { counts.reduce(0, +) }
  /// Whether the tree below the root is another than before the run.
  package var hasChanges: Bool { Outcome.allCases.contains { $0.changedTree && self[$0] > 0 } }
}

extension Outcome {
  /// The place of its count; asked for every entry, so no search and no hash.
  fileprivate var place: Int {
    switch self {
    case .downloaded: 0
    case .updated: 1
    case .adopted: 2
    case .unchanged: 3
    case .metadataSet: 4
    case .deleted: 5
    case .failed: 6
    case .skipped: 7
    case .interrupted: 8
    case .placeholder: 9
    }
  }
}
