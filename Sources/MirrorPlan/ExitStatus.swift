// The exit statuses of the program, and what each tells whoever started it. Which failure leads to which is
// `ExitTally.swift`.

/// | status | meaning | run it again? |
/// | :-: | --- | --- |
/// | 0 | done: nothing to do, or all of it done | no |
/// | 1 | internal error | maybe |
/// | 2 | usage or manifest error, nothing was done | no |
/// | 3 | finished; at least one item failed for good | no |
/// | 4 | finished; every failure was transient | yes |
/// | 5 | safety stop: prune cap, empty or shrunk listing, lock drift | after a look |
/// | 6 | local resource: disk, permission, read-only, too many files | after repair |
/// | 7 | authentication failed for a host | after repair |
/// | 8 | another run holds the root | later |
/// | 9 | budget used up, work remains | yes |
/// | 10 | only with `--detailed-exitcode`: changes pending, or made | no |
/// | 130, 143 | SIGINT, SIGTERM: state and report are saved, parts are kept | yes |
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  case internalError = 1
  case usage = 2
  case failedForGood = 3
  case failedForNow = 4
  case safetyStop = 5
  case localResource = 6
  case authentication = 7
  case rootIsHeld = 8
  case budgetUsedUp = 9
  case changes = 10
  case interrupted = 130
  case terminated = 143

  /// Whether everything that was wanted was there at the end of the run.
  package var isSuccess: Bool { self == .done || self == .changes }

  package var meaning: String {
    switch self {
    case .done: "done"
    case .internalError: "internal error"
    case .usage: "usage or manifest error, nothing was done"
    case .failedForGood: "finished; at least one item failed for good"
    case .failedForNow: "finished; every failure was transient"
    case .safetyStop: "safety stop"
    case .localResource: "local resource: disk, permission, read-only, too many files"
    case .authentication: "authentication failed for a host"
    case .rootIsHeld: "another run holds the root"
    case .budgetUsedUp: "budget used up, work remains"
    case .changes: "changes pending, or made"
    case .interrupted: "interrupted (SIGINT)"
    case .terminated: "terminated (SIGTERM)"
    }
  }

  package var runAgain: String {
    switch self {
    case .done, .usage, .failedForGood, .changes: "no"
    case .internalError: "maybe"
    case .failedForNow, .budgetUsedUp, .interrupted, .terminated: "yes"
    case .safetyStop: "after a look"
    case .localResource, .authentication: "after repair"
    case .rootIsHeld: "later"
    }
  }

  /// When several apply, the first of these is the program's: what ended the run, then what needs a person, then what
  /// failed for good, then what may go away.
  package static let precedence: [ExitStatus] = [
    .terminated, .interrupted, .rootIsHeld, .usage, .internalError,
    .safetyStop, .localResource, .authentication, .failedForGood, .failedForNow, .budgetUsedUp,
    .changes, .done,
  ]

  /// The one status of several; `done` of none.
  package static func of(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
    let all = Set(statuses)
    return precedence.first { all.contains($0) } ?? .done
  }
}
