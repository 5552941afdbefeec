// Takes down how every entry ended: the report, the summary, the reasons for the exit status.

package import MirrorPlan
package import TransferModel

/// The books of one run.
package actor RunLedger {
  private var summary = RunSummary()
  private var tally = ExitTally()
  private var errors: [TransferFailure] = []
  /// Folders in which something may have been left unfinished.
  package private(set) var foldersToSweep: Set<String> = []
  /// The one that was noted last, while it is still in there.
  private var notedFolder: String?
  private let sweepsEverything: Bool
  /// Destinations that an earlier run left a part for and that have not come up in this one.
  private(set) var unclaimedParts: Set<String> = []
  private var documents: ReportDocuments
  private let progress: RunProgress
  private let observe: @Sendable ([EntryOutcome]) -> Void
  private let complain: @Sendable (TransferFailure) -> Void

  /// - Parameters:
  ///   - reports: where the run's documents go.
  ///   - sweepsEverything: the last run did not come to its end, so every folder may have something left in it.
  ///   - observe: told of every batch of outcomes, in order.
  ///   - complain: told of failures that belong to no entry.
  ///
  /// Throws when the place of a document cannot be written.
  init(
    reports: ReportPlaces = ReportPlaces(), sweepsEverything: Bool,
    progress: RunProgress, observe: @escaping @Sendable ([EntryOutcome]) -> Void,
    complain: @escaping @Sendable (TransferFailure) -> Void = { _ in }
  ) throws(TransferFailure) {
    self.sweepsEverything = sweepsEverything
    self.progress = progress
    self.observe = observe
    self.complain = complain
    documents = try ReportDocuments(reports)
  }

  func expect(_ parts: some Sequence<RelativePath>) { unclaimedParts = Set(parts.map(\.text)) }

  /// A part is nobody's any more.
  func sweepFolder(of destination: RelativePath) { foldersToSweep.insert(destination.parentText ?? "") }

  /// Hands the folders over; they are not given out again.
  func takeFoldersToSweep() -> Set<String> {
    defer { (foldersToSweep, notedFolder) = ([], nil) }
    return foldersToSweep
  }

  package func add(_ outcomes: [EntryOutcome]) {
    guard !outcomes.isEmpty else { return }
    var failed = 0
    for outcome in outcomes {
      summary.add(outcome)
      tally.add(outcome)
      if outcome.hasFailed { failed += 1 }
      if !unclaimedParts.isEmpty { unclaimedParts.remove(outcome.destination) }
      if sweepsEverything || outcome.outcome == .interrupted || outcome.outcome == .failed {
        noteFolder(of: outcome.destination)
      }
    }
    note(documents.append(outcomes))
    progress.add(done: outcomes.count, failed: failed)
    observe(outcomes)
  }

  /// A failure that belongs to no entry: a list, the state, the report itself.
  package func add(_ failure: TransferFailure, at place: String) {
    guard failure.failureClass != .cancelled else { return }
    errors.append(failure)
    tally.add(failure)
    summary.add(failure, at: place)
    complain(failure)
  }

  /// Something that the summary has to say by name.
  func remark(_ failure: TransferFailure) { summary.remark(failure) }

  package func add(_ status: ExitStatus, _ word: String) { tally.add(status, word) }

  /// Whether something failed that belongs to no entry: then not every entry need have come up.
  var hasErrors: Bool { !errors.isEmpty }

  /// Whether nothing has failed so far and nothing was left out.
  var isClean: Bool { tally.reasons.isEmpty && totals[.skipped] == 0 && totals[.interrupted] == 0 }

  package var totals: ReportTotals { summary.totals }

  /// For the state's history.
  var counts: RunRecord.Counts {
    let totals = summary.totals
    var counts = RunRecord.Counts()
    counts.transferred = Int64(totals[.downloaded] + totals[.updated])
    counts.unchanged = Int64(totals[.unchanged] + totals[.adopted])
    counts.deleted = Int64(totals[.deleted])
    counts.failed = Int64(totals[.failed])
    counts.bytes = totals.bytes
    return counts
  }

  /// Nothing was written for a name that was refused as unsafe, and there is no folder to look into.
  private func noteFolder(of destination: String) {
    // Neighbours nearly always share it.
    let folder = destination.utf8.lastIndex(of: UInt8(ascii: "/")).map { destination[..<$0] } ?? ""
    guard notedFolder.map({ $0.utf8.elementsEqual(folder.utf8) }) != true else { return }
    guard let path = try? RelativePath(destination) else { return }
    notedFolder = String(folder)
    sweepFolder(of: path)
  }

  /// Ends the run's documents and says how the run ended.
  ///
  /// - root: what the metrics call the mirror.
  /// - lastSuccess: when the last run before this one ended that ended well.
  package func close(
    _ run: ReportRun, root: String, lastSuccess: Timestamp?, detailed: Bool, elapsed: Duration
  ) -> (status: ExitStatus, summary: String) {
    note(documents.finish(run, summary.totals, exit: tally, detailed: detailed, errors: errors))
    note(documents.finish(metrics(run, root, lastSuccess, status(detailed))))
    return (
      status(detailed), summary.text(elapsed: elapsed, reportPath: documents.jsonPath, listsFailures: false)
    )
  }

  private func status(_ detailed: Bool) -> ExitStatus {
    tally.status(hasChanges: summary.totals.hasChanges, detailed: detailed)
  }

  private func metrics(
    _ run: ReportRun, _ root: String, _ lastSuccess: Timestamp?, _ status: ExitStatus
  ) -> PrometheusText {
    PrometheusText(
      root: root, shard: run.shard, start: run.start, end: run.end,
      lastSuccess: status.isSuccess ? run.end : lastSuccess, exitStatus: status.rawValue, totals: summary.totals)
  }

  private func note(_ failures: [ReportDocuments.Failure]) {
    for failure in failures { add(failure.failure, at: failure.path) }
  }
}
