// Our reason codes in Firebase's words, for those who know its SDK's errors.

package import TransferModel

extension ReasonCode {
  /// The name of the `StorageErrorCode` that fits best; `unknown` where none does, as the SDK has it.
  ///
  /// What is tried again and fails in the end is `retryLimitExceeded`, whichever way it failed last.
  package var storageErrorName: String {
    switch self {
    case .notFound: "objectNotFound"
    case .unauthorized: "unauthorized"
    case .unauthenticated: "unauthenticated"
    case .quotaExceeded: "quotaExceeded"
    case .throttled, .serverError, .retryAfterTooLong, .nameLookupFailed, .connectionRefused, .unreachable, .timeout,
      .stalled, .connectionReset, .truncated, .retryLimitExceeded, .deadlineExceeded:
      "retryLimitExceeded"
    case .sizeMismatch, .checksumMismatch, .changedDuringTransfer: "nonMatchingChecksum"
    case .sizeLimitExceeded: "downloadSizeExceeded"
    case .cancelled: "cancelled"
    case .unsafeName, .emptyNamePart, .reservedName, .nameNotUTF8, .nameTooLong: "pathError"
    case .internalError: "internalError"
    case .invalidRequest, .conflict, .preconditionFailed, .rangeNotSatisfiable, .unexpectedStatus, .unexpectedContent,
      .nameNotFound, .tls, .certificate, .protocolViolation, .proxy, .tooManyRedirects, .redirectRefused,
      .notComparable, .decodeFailed, .diskFull, .permissionDenied, .readOnly, .tooManyOpenFiles, .outOfMemory,
      .ioError, .symlinkRefused, .notADirectory, .isADirectory, .nameConflict, .caseCollision, .markerWithContent,
      .listingFailed, .listingIncomplete, .factsMoved, .lockDrift, .localChange, .pruneRefused, .budgetExhausted,
      .notLookedUp, .commandFailed:
      "unknown"
    }
  }
}
