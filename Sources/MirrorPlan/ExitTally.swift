// From failures to the exit status: which failure counts for which, and the sum of a run.

package import TransferModel

extension ExitStatus {
  /// What one failure contributes; nil = nothing, because whoever cancelled knows the status.
  ///
  /// By reason where the reason alone decides:
  ///
  /// | reason | status |
  /// | --- | :-: |
  /// | `listing_incomplete`, `facts_moved`, `lock_drift`, `prune_refused` | 5 |
  /// | `disk_full`, `permission_denied`, `read_only`, `too_many_open_files`, `out_of_memory`, `io_error`, `command_failed` | 6 |
  /// | `unauthenticated` | 7 |
  /// | `budget_exhausted` | 9 |
  /// | `retry_limit_exceeded`, `retry_after_too_long`, `deadline_exceeded` | 4 |
  /// | `cancelled` | nothing |
  ///
  /// Everything else by class:
  ///
  /// | class | status |
  /// | --- | :-: |
  /// | transient, throttled | 4 |
  /// | unauthenticated | 7 |
  /// | permanent, integrity | 3 |
  /// | local | 6 |
  /// | cancelled | nothing |
  package static func contribution(of reason: ReasonCode, _ failureClass: FailureClass) -> ExitStatus? {
    switch reason {
    case .listingIncomplete, .factsMoved, .lockDrift, .pruneRefused: return .safetyStop
    case .diskFull, .permissionDenied, .readOnly, .tooManyOpenFiles, .outOfMemory, .ioError, .commandFailed:
      return .localResource
    case .unauthenticated: return .authentication
    case .budgetExhausted: return .budgetUsedUp
    case .retryLimitExceeded, .retryAfterTooLong, .deadlineExceeded: return .failedForNow
    case .cancelled: return nil
    case .notFound, .unauthorized, .quotaExceeded, .invalidRequest, .conflict, .preconditionFailed,
      .rangeNotSatisfiable, .throttled, .serverError, .unexpectedStatus, .unexpectedContent, .nameNotFound,
      .nameLookupFailed, .connectionRefused, .unreachable, .timeout, .stalled, .connectionReset, .tls, .certificate,
      .protocolViolation, .proxy, .tooManyRedirects, .redirectRefused, .truncated, .sizeMismatch, .checksumMismatch,
      .changedDuringTransfer, .sizeLimitExceeded, .notComparable, .decodeFailed, .symlinkRefused, .notADirectory,
      .isADirectory, .unsafeName, .emptyNamePart, .reservedName, .nameNotUTF8, .nameTooLong, .nameConflict,
      .caseCollision, .markerWithContent, .listingFailed, .notLookedUp,
      .localChange, .internalError:
      break
    }
    switch failureClass {
    case .transient, .throttled: return .failedForNow
    case .unauthenticated: return .authentication
    case .permanent, .integrity: return .failedForGood
    case .local: return .localResource
    case .cancelled: return nil
    }
  }

  package static func contribution(of failure: TransferFailure) -> ExitStatus? {
    contribution(of: failure.reason, failure.failureClass)
  }
}

/// Counts why a run ends as it does.
package struct ExitTally: Hashable, Sendable {
  /// One line of the report's `exit.reasons`.
  package struct Reason: Hashable, Sendable {
    package var status: ExitStatus
    /// A reason code, or the caller's own word such as `sigint`.
    package var word: String
    package var count: Int
  }

  /// All of them, by precedence, then in the order in which they came.
  package var reasons: [Reason] {
    ExitStatus.precedence.flatMap { status in counted.filter { $0.status == status } }
  }

  private var counted: [Reason] = []

  package init() {}

  /// A failed entry counts whatever stands in for it; an entry that did not fail does not.
  package mutating func add(_ entry: EntryOutcome) {
    if let failure = entry.failure { add(failure) }
  }

  package mutating func add(_ failure: TransferFailure) {
    guard let status = ExitStatus.contribution(of: failure) else { return }
    add(status, failure.reason.rawValue)
  }

  package mutating func add(_ status: ExitStatus, _ word: String) {
    if let index = counted.firstIndex(where: { $0.status == status && $0.word == word }) {
      counted[index].count += 1
    } else {
      counted.append(Reason(status: status, word: word, count: 1))
    }
  }

  /// The program's status. `hasChanges` counts only when `detailed` (`--detailed-exitcode`) is on and nothing failed.
  package func status(hasChanges: Bool = false, detailed: Bool = false) -> ExitStatus {
    ExitStatus.of(counted.map(\.status) + (hasChanges && detailed ? [.changes] : []))
  }
}
