// Takes down how every entry ended: the report, the summary, the reasons for the exit status.

import LocalFiles
package import MirrorPlan
package import TransferModel

/// The books of one run.
package actor RunLedger {
  private var summary = RunSummary()
  private var tally = ExitTally()
  private var errors: [TransferFailure] = []
  private var report: ReportWriter?
  private var document: AtomicDocument?
  private let progress: RunProgress
  private let observe: @Sendable ([EntryOutcome]) -> Void

  /// - Parameters:
  ///   - reportPath: where the JSON report goes; nil = there is none.
  ///   - observe: told of every batch of outcomes, in order.
  ///
  /// Throws when the report's place cannot be written.
  package init(
    reportPath: String?, progress: RunProgress, observe: @escaping @Sendable ([EntryOutcome]) -> Void
  ) throws(TransferFailure) {
    self.progress = progress
    self.observe = observe
    guard let reportPath else { return }
    let document = try AtomicDocument(reportPath)
    self.document = document
    report = ReportWriter { try document.append($0) }
  }

  package func add(_ outcomes: [EntryOutcome]) {
    guard !outcomes.isEmpty else { return }
    for outcome in outcomes {
      summary.add(outcome)
      tally.add(outcome)
      writeReport { try $0.append(outcome) }
    }
    progress.add(done: outcomes.count, failed: outcomes.count { $0.failure != nil })
    observe(outcomes)
  }

  /// A failure that belongs to no entry: a list, the state, the report itself.
  package func add(_ failure: TransferFailure, at place: String) {
    guard failure.failureClass != .cancelled else { return }
    errors.append(failure)
    tally.add(failure)
    summary.add(failure, at: place)
  }

  package func add(_ status: ExitStatus, _ word: String) { tally.add(status, word) }

  package var totals: ReportTotals { summary.totals }

  /// Ends the report and says how the run ended.
  package func close(
    _ run: ReportRun, detailed: Bool, elapsed: Duration, reportPath: String?
  ) -> (status: ExitStatus, summary: String) {
    writeReport { [tally, errors] in try $0.finish(run, exit: tally, detailed: detailed, errors: errors) }
    if report != nil, let document {
      do {
        try document.publish()
      } catch {
        add(error, at: document.path)
      }
    }
    report = nil
    let status = tally.status(hasChanges: summary.totals.hasChanges, detailed: detailed)
    return (status, summary.text(elapsed: elapsed, reportPath: reportPath))
  }

  private func writeReport(_ body: (inout ReportWriter) throws -> Void) {
    guard var writer = report else { return }
    do {
      try body(&writer)
      report = writer
    } catch {
      report = nil
      document?.abandon()
      let failure =
        error as? TransferFailure
        ?? TransferFailure(.ioError, .local, "the report could not be written: \(error)")
      add(failure, at: document?.path ?? "report")
    }
  }
}
