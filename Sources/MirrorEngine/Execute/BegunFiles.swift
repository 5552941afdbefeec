// What a run was about to fetch for trees, so that the files of one that is killed still belong to mirror.

import LocalFiles
import MirrorPlan
import TransferModel

/// Rows of finished files reach the state in batches, so a run that is killed leaves files that the state has not heard of.
/// The next run finds their bytes right and adopts them; if it took them for somebody else's, they would never be pruned. So
/// the destinations of a batch are put down before its first download begins.
struct BegunFiles: Sendable {
  let list: DestinationList
  private let state: StateStore
  /// Destinations that an earlier run put down, and of which the state has no row.
  private let left: Set<RelativePath>

  /// - Parameters:
  ///   - others: lists of which this run may find the files: as a shard, that of the whole.
  ///   - isOurs: whether the run looks at a destination.
  init(
    _ list: DestinationList, others: [DestinationList], _ state: StateStore, isOurs: (RelativePath) -> Bool
  ) throws(TransferFailure) {
    self.list = list
    self.state = state
    var left: Set<RelativePath> = []
    for list in [list] + others {
      try list.forEachBatch { batch throws(TransferFailure) in
        for (path, row) in zip(batch, try state.rows(for: batch)) where row == nil && isOurs(path) { left.insert(path) }
      }
    }
    self.left = left
  }

  /// Of downloads that are about to begin: what is for trees, as items are never pruned.
  func begun(_ jobs: [TransferJob]) -> [RelativePath] {
    jobs.compactMap { job in
      guard let facts = job.entry?.facts, facts.tree != nil else { return nil }
      return facts.entry.destination
    }
  }

  /// Whether a file that stands there and of which the state knows nothing is a killed run's.
  func has(_ destination: RelativePath) -> Bool { left.contains(destination) }

  /// All that the run has put in place is committed: of what was left only that is kept which still stands there unknown,
  /// because its entry failed or was not looked at.
  func settle(_ local: LocalSurvey) throws(TransferFailure) {
    var kept: [RelativePath] = []
    for path in left {
      let (row, fact) = (try state.row(for: path), try local.fact(at: path))
      if row == nil, fact != .absent { kept.append(path) }
    }
    try list.clear()
    try list.note(kept)
  }
}

extension MirrorRun {
  /// The files of this run and of one that was killed; nil when there are no trees.
  func openBegun(_ state: StateStore) throws(RunRefusal) -> BegunFiles? {
    guard !manifest.trees.isEmpty else { return nil }
    return try refusing { () throws(TransferFailure) in
      let folder = state.location.folder
      let list = try DestinationList(in: folder, name: ShardStates.name(of: .begun, of: options.shard))
      let whole = try options.shard.map { _ throws(TransferFailure) in
        try DestinationList(in: folder, name: ShardStates.name(of: .begun, of: nil))
      }
      return try BegunFiles(list, others: whole.map { [$0] } ?? [], state) { options.shard?.owns($0) ?? true }
    }
  }
}
