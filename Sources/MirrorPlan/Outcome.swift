// How entries ended. Values only; the report writes them, the summary counts them.

package import TransferModel

/// How an entry ended.
package enum Outcome: String, Sendable, CaseIterable {
  case downloaded
  case updated
  case adopted
  case unchanged
  case metadataSet = "metadata_set"
  case deleted
  case failed
  /// Not tried, because the run was told to stop (budget, `--fail-fast`) before its turn.
  case skipped
  /// The run was stopped while it was being worked on.
  case interrupted
  /// The object could not be had and the manifest's placeholder stands in for it.
  case placeholder

  /// Whether the tree below the root is another than before.
  package var changedTree: Bool {
    switch self {
    case .downloaded, .updated, .metadataSet, .deleted, .placeholder: true
    case .adopted, .unchanged, .failed, .skipped, .interrupted: false
    }
  }
}

/// One HTTP exchange of a transfer.
package struct Attempt: Hashable, Sendable {
  /// The reference that was asked, without secrets; nil when the entry has only one.
  package var reference: String?
  /// nil when no response came.
  package var status: Int?
  /// Why it did not do; nil for the one that did.
  package var error: ReasonCode?
  /// The wait before the next attempt.
  package var wait: Duration
  /// Body bytes that it brought.
  package var bytes: Int64
  /// What was wrong with the bytes, one sentence with both hashes (P21); nil where no bytes were refused.
  package var message: String?

  package init(
    reference: String? = nil, status: Int?, error: ReasonCode? = nil, wait: Duration = .zero, bytes: Int64 = 0,
    message: String? = nil
  ) {
    self.reference = reference
    self.status = status
    self.error = error
    self.wait = wait
    self.bytes = bytes
    self.message = message
  }
}

/// What proved that bytes which were received are the whole object, strongest first.
package enum ProvenBy: String, Sendable, CaseIterable {
  case pinnedHash = "pinned_hash"
  case remoteHash = "remote_hash"
  /// The length that was named, or the end that the protocol marked.
  case length
  /// Nothing: the end of the connection ended the body, and it may have been cut (P50).
  case nothing = "none"
}

/// Everything the report says about one entry.
package struct EntryOutcome: Hashable, Sendable {
  /// A short name that is the same in every run; nil = the fingerprint of the destination, which is the rule.
  package var givenID: String?
  /// The first reference, without secrets.
  package var reference: String
  /// The reference that the bytes came from, without secrets; nil when none did.
  package var servedBy: String?
  package var destination: String
  /// Names the tree that it came from, for the state; nil for an item.
  package var tree: String?
  package var action: Action
  package var outcome: Outcome
  /// The plan's reason, or the failure's.
  package var reason: PlanReason
  package var comparedBy: ComparedBy
  /// nil when no bytes were put in place, or compared.
  package var provenBy: ProvenBy?
  /// Of the last response.
  package var httpStatus: Int?
  package var attempts: [Attempt]
  /// Body bytes received in this run, all attempts together.
  package var bytes: Int64
  /// Bytes that an earlier run had left and that were kept.
  package var bytesResumed: Int64
  /// Bytes that were received and thrown away: of another version, or wrong.
  package var bytesWasted: Int64
  package var duration: Duration
  /// The most streams that fetched it at the same time.
  package var streams = 1
  package var generation: Int64?
  package var etag: String?
  /// Digests of the file.
  package var digests: DigestSet
  package var failure: TransferFailure? {
    get { sharedFailure?.value }
    set { sharedFailure = newValue.map { Shared($0) } }
  }
  /// Behind a reference: nearly all have none, and all would carry its size along.
  private var sharedFailure: Shared<TransferFailure>?
  /// Whether there is a failure, without a copy of it.
  package var hasFailed: Bool { sharedFailure != nil }
  /// The first of the runs in which it failed, one after the other; nil when it does not fail.
  package var failingSince: Timestamp?
  /// Whether the end of the connection was all that said where the bytes end, and nothing proves that they are all.
  package var hasUnverifiedLength: Bool { provenBy == .nothing }

  package init(
    id givenID: String? = nil, reference: String, servedBy: String? = nil, destination: String, tree: String? = nil,
    action: Action,
    outcome: Outcome, reason: PlanReason, comparedBy: ComparedBy = .none, httpStatus: Int? = nil,
    attempts: [Attempt] = [],
    bytes: Int64 = 0, bytesResumed: Int64 = 0, bytesWasted: Int64 = 0, duration: Duration = .zero,
    generation: Int64? = nil, etag: String? = nil, digests: DigestSet = DigestSet(), failure: TransferFailure? = nil
  ) {
    self.givenID = givenID
    self.reference = reference
    self.servedBy = servedBy
    self.destination = destination
    self.tree = tree
    self.action = action
    self.outcome = outcome
    self.reason = reason
    self.comparedBy = comparedBy
    self.httpStatus = httpStatus
    self.attempts = attempts
    self.bytes = bytes
    self.bytesResumed = bytesResumed
    self.bytesWasted = bytesWasted
    self.duration = duration
    self.generation = generation
    self.etag = etag
    self.digests = digests
    sharedFailure = failure.map { Shared($0) }
  }
}

extension EntryOutcome {
  /// An entry that ended the way its plan said; the executor fills in what the transfer brought.
  package init(_ entry: Entry, _ decision: Decision, outcome: Outcome, tree: String? = nil) {
    self.init(
      reference: entry.references[0].display, destination: entry.destination.text, tree: tree,
      action: decision.action, outcome: outcome, reason: decision.reason, comparedBy: decision.comparedBy,
      httpStatus: decision.failure?.httpStatus, failure: decision.failure)
  }

  /// The same entry, ended by a failure.
  package func failing(_ failure: TransferFailure, as outcome: Outcome = .failed) -> EntryOutcome {
    var copy = self
    copy.outcome = outcome
    copy.failure = failure
    copy.reason = .failure(failure.reason)
    copy.httpStatus = failure.httpStatus ?? copy.httpStatus
    return copy
  }
}
