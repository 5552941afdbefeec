// What the history of runs says, for `mirror status`: pure. Reading it is `MirrorEngine`'s.

package import TransferModel

/// One run, as far as a history needs it.
package struct PastRun: Hashable, Sendable {
  package var id: String
  package var started: Timestamp
  /// nil while it goes on, and for ever when it was killed.
  package var ended: Timestamp?
  package var exitStatus: Int32?

  package init(id: String, started: Timestamp, ended: Timestamp?, exitStatus: Int32?) {
    self.id = id
    self.started = started
    self.ended = ended
    self.exitStatus = exitStatus
  }

  /// Whether everything that was wanted was there at its end.
  package var isSuccess: Bool { exitStatus.flatMap(ExitStatus.init(rawValue:))?.isSuccess ?? false }
}

/// | runs, newest first | last success | failing since |
/// | --- | --- | --- |
/// | none | – | – |
/// | a success | it | – |
/// | failures, then a success | that | the start of the oldest of these failures |
/// | failures only | – | the start of the oldest run that is remembered |
package struct RunHistory: Hashable, Sendable {
  package var last: PastRun?
  package var lastSuccess: PastRun?
  package var failingSince: Timestamp?
  /// How many runs failed since the last success.
  package var failedRuns = 0

  /// `runs` are the newest first. A run that has not ended, and is the newest, may be going on and counts as neither.
  package init(_ runs: [PastRun]) {
    last = runs.first
    for (place, run) in runs.enumerated() {
      if run.isSuccess {
        lastSuccess = run
        break
      }
      if place == 0, run.ended == nil { continue }
      failedRuns += 1
      failingSince = run.started
    }
  }
}
