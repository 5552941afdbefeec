// What is tidied up when all transfers have ended: folders that pruning emptied, trash that is old enough, and parts that
// nothing wants any more.

import LocalFiles
import MirrorPlan
import TransferModel

extension MirrorRun {
  func tidy(_ state: StateStore, _ ground: RunGround, _ ledger: RunLedger, _ start: Timestamp) async {
    guard control.stop == nil, options.shard == nil else { return }
    do throws(TransferFailure) {
      if let directories = ground.begun {
        for number in manifest.trees.indices where manifest.trees[number].prune.enabled {
          try removeEmptied(tree: number, state, directories)
        }
      }
      // With generations, only what was in the trash before there were any.
      try emptyTrash(DirectoryCache(ground.home, capacity: 1), start)
      try await giveUpParts(state, ledger)
    } catch {
      await ledger.add(error, at: rootPath)
    }
  }

  /// The last path first, so that a folder comes after those in it. Only now, because a folder may have been empty for a
  /// moment while a new file for it was on its way.
  private func removeEmptied(
    tree number: Int, _ state: StateStore, _ directories: DirectoryCache
  ) throws(TransferFailure) {
    var position: RelativePath?
    while true {
      let page = try state.gone(tree: number, after: position, backwards: true, limit: 512)
      guard let last = page.last else { return }
      position = last.destination
      for file in page {
        var folder = file.destination.parentText
        while let path = folder, path.utf8.count > file.floor, let relative = try? RelativePath(path) {
          guard try directories.removeDirectoryIfEmpty(relative) else { break }
          folder = relative.parentText
        }
      }
    }
  }

  /// Forgets the parts of entries that the manifest no longer has, so that they are swept.
  private func giveUpParts(_ state: StateStore, _ ledger: RunLedger) async throws(TransferFailure) {
    let hasSeenAll = await !ledger.hasErrors && options.selection == nil && !options.lock.isFrozen
    guard hasSeenAll else { return }
    for text in await ledger.unclaimedParts {
      guard let destination = try? RelativePath(text) else { continue }
      try state.dropPart(for: destination)
      await ledger.sweepFolder(of: destination)
    }
  }

  /// Trash of all trees lies together, so the longest of their times counts.
  private func emptyTrash(_ directories: DirectoryCache, _ start: Timestamp) throws(TransferFailure) {
    let trash = Trash(directories)
    let runs = try trash.runs()
    guard !runs.isEmpty else { return }
    let times = manifest.trees.compactMap(\.prune.trash)
    let age = times.max() ?? (manifest.trees.isEmpty ? PruneSettings().trash : nil) ?? .zero
    for run in runs where Self.isExpired(run, after: age, at: start) {
      guard try trash.empty(run, isStopped: { control.stop != nil }) else { return }
    }
  }

  /// Whether the trash of that run may go; what has not the name of a run never does.
  static func isExpired(_ run: String, after age: Duration, at now: Timestamp) -> Bool {
    guard run.utf8.count > 20, let then = Timestamp(rfc3339: String(run.prefix(20))) else { return false }
    return now.seconds - then.seconds > age.components.seconds
  }
}
