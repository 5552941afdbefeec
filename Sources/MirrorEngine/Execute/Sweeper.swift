// Sweeps the folders in which something may have been left unfinished, in portions, so that they need not be remembered.

import LocalFiles
import MirrorPlan
import TransferModel

/// Removes part files that no run will continue.
struct Sweeper: Sendable {
  /// So many folders are swept at once, and no more are kept in mind. A run may sweep while it goes on: what it writes
  /// itself is too young to be taken for a left-over.
  private static let portion = 4_096

  let state: StateStore
  let ground: RunGround
  let ledger: RunLedger
  /// When the run began.
  let start: Timestamp
  /// Whether other runs work below the same root: what looks left behind may be theirs.
  let isShared: Bool

  func runIfDue() async {
    if await ledger.foldersToSweep.count >= Self.portion { await run() }
  }

  func run() async {
    let touched = await ledger.takeFoldersToSweep()
    guard !isShared, !touched.isEmpty, let directories = ground.begun, let parts = try? state.parts() else { return }
    let wanted = Set(parts.map { part in (part.destination.parentText.map { $0 + "/" } ?? "") + part.temporaryName })
    let swept = Sweep(directories, before: start, keeping: { wanted.contains($0) }).run(in: touched)
    for failure in swept.failures { await ledger.add(failure, at: directories.root.path) }
  }
}
