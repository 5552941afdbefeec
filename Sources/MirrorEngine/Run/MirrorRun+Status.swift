// `mirror status`: what the state and the disk say of the last runs; no network, nothing written.

package import MirrorPlan
import TransferModel

extension MirrorRun {
  package func status() throws(RunRefusal) -> StatusReport {
    let (directories, state) = try localSide()
    return try refusing { () throws(TransferFailure) in
      var report = StatusReport(
        root: rootIdentity, now: environment.clocks.utc(), history: try state?.history() ?? RunHistory([]),
        files: try state?.rowCount() ?? 0)
      let local = LocalSurvey(directories: directories, state: state)
      for item in manifest.items {
        guard let staleness = try Self.staleness(of: Entry(item), local) else { continue }
        report.add(StatusReport.StaleItem(destination: item.destination.text, staleness: staleness))
      }
      report.failingCount = try state?.failureCount() ?? 0
      report.failing = try (state?.failures(limit: StatusReport.shown) ?? []).map {
        StatusReport.Failing(place: $0.place, reason: $0.reason, message: $0.message, since: $0.since, runs: $0.runs)
      }
      return report
    }
  }

  private static func staleness(
    of entry: Entry, _ local: LocalSurvey
  ) throws(TransferFailure) -> StatusReport.Staleness? {
    guard let file = try local.row(at: entry.destination)?.file else { return .neverFetched }
    guard case .file(let stamp, _) = try local.fact(at: entry.destination) else { return .missing }
    if file.isPlaceholder { return .placeholder }
    if !entry.sourceKeys.contains(SourceKey(recorded: file.source)) { return .otherSource }
    return stamp == file.stamp ? nil : .changed
  }
}

extension StateStore {
  /// What the runs say that are remembered.
  func history() throws(TransferFailure) -> RunHistory {
    let runs = try runs(limit: Int(SideTables.runsKept) + 1)
    return RunHistory(
      runs.map { PastRun(id: $0.id, started: $0.started, ended: $0.ended, exitStatus: $0.exitStatus) })
  }
}
