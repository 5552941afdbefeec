// Why a transfer failed, said once: the class decides what happens next, the code is for machines, the message for people.

/// What to do about a failure; decided from this, never from a message.
package enum FailureClass: Hashable, Sendable {
  /// May work when tried again.
  case transient
  /// The server asks for a pause: not before the wait is over, where one was named.
  case throttled(wait: Duration?)
  /// The credential was refused; one shared refresh, then resend.
  case unauthenticated
  /// Will fail the same way each time.
  case permanent
  /// The bytes are not what was promised; start over from zero, a bounded number of times.
  case integrity
  /// This machine: disk, permission, limits.
  case local
  case cancelled

  /// Whether the failure may go away by waiting: decides between exit status 3 and 4.
  package var isTransient: Bool {
    switch self {
    case .transient, .throttled: true
    case .unauthenticated, .permanent, .integrity, .local, .cancelled: false
    }
  }
}

/// A stable word for a failure; part of the report's schema, so cases are added and never renamed.
package enum ReasonCode: String, Hashable, Sendable, CaseIterable {
  // The service.
  case notFound = "not_found"
  case unauthorized
  case unauthenticated
  case quotaExceeded = "quota_exceeded"
  case invalidRequest = "invalid_request"
  case conflict
  case preconditionFailed = "precondition_failed"
  case rangeNotSatisfiable = "range_not_satisfiable"
  case throttled
  case serverError = "server_error"
  case unexpectedStatus = "unexpected_status"
  case unexpectedContent = "unexpected_content"
  case retryAfterTooLong = "retry_after_too_long"
  /// Nobody asked, because the run was told to do without the network.
  case notLookedUp = "not_looked_up"

  // The way there.
  case nameNotFound = "name_not_found"
  case nameLookupFailed = "name_lookup_failed"
  case connectionRefused = "connection_refused"
  case unreachable
  case timeout
  case stalled
  case connectionReset = "connection_reset"
  case tls
  case certificate
  case protocolViolation = "protocol_violation"
  case proxy
  case tooManyRedirects = "too_many_redirects"
  case redirectRefused = "redirect_refused"

  // The bytes.
  case truncated
  case sizeMismatch = "size_mismatch"
  case checksumMismatch = "checksum_mismatch"
  case changedDuringTransfer = "changed_during_transfer"
  case sizeLimitExceeded = "size_limit_exceeded"
  case notComparable = "not_comparable"
  case decodeFailed = "decode_failed"

  // This machine.
  case diskFull = "disk_full"
  case permissionDenied = "permission_denied"
  case readOnly = "read_only"
  case tooManyOpenFiles = "too_many_open_files"
  case outOfMemory = "out_of_memory"
  case ioError = "io_error"
  case symlinkRefused = "symlink_refused"
  case notADirectory = "not_a_directory"
  case isADirectory = "is_a_directory"
  /// A program that mirror was told to run did not do its work.
  case commandFailed = "command_failed"

  // Names and plans.
  case unsafeName = "unsafe_name"
  /// Two slashes in a row, or one at the beginning.
  case emptyNamePart = "empty_name_part"
  /// A name that mirror keeps for itself.
  case reservedName = "reserved_name"
  case nameNotUTF8 = "name_not_utf8"
  case nameTooLong = "name_too_long"
  case nameConflict = "name_conflict"
  case caseCollision = "case_collision"
  case markerWithContent = "marker_with_content"
  case listingFailed = "listing_failed"
  case listingIncomplete = "listing_incomplete"
  case factsMoved = "facts_moved"
  case lockDrift = "lock_drift"
  case localChange = "local_change"
  case pruneRefused = "prune_refused"

  // The run.
  case retryLimitExceeded = "retry_limit_exceeded"
  case deadlineExceeded = "deadline_exceeded"
  case budgetExhausted = "budget_exhausted"
  case cancelled
  case internalError = "internal_error"
}

/// A failure of one transfer or request.
package struct TransferFailure: Error, Hashable, Sendable {
  package var reason: ReasonCode
  package var failureClass: FailureClass
  /// What failed and where, one sentence, without secrets.
  package var message: String
  /// What to do next, one sentence; nil when there is nothing to add.
  package var hint: String?
  package var httpStatus: Int?
  /// Up to 2 KiB of what the server said, redacted.
  package var serverBody: String?
  /// The system's error number, for local failures.
  package var errno: Int32?

  package init(
    _ reason: ReasonCode, _ failureClass: FailureClass, _ message: String, hint: String? = nil,
    httpStatus: Int? = nil, serverBody: String? = nil, errno: Int32? = nil
  ) {
    self.reason = reason
    self.failureClass = failureClass
    self.message = message
    self.hint = hint
    self.httpStatus = httpStatus
    self.serverBody = serverBody
    self.errno = errno
  }
}

extension TransferFailure: CustomStringConvertible {
  package var description: String { "\(message) [\(reason.rawValue)]" }
}
