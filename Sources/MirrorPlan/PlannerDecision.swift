// What the planner answers for one entry.

package import TransferModel

/// How the bytes are asked for.
package enum Fetch: Hashable, Sendable {
  /// Whatever the server has.
  case whole
  /// This version and no other, held against all that was said of it (size, digests, generation) before it is put in
  /// place. Where the server cannot be asked for a version, an answer of another one is `changed_during_transfer`.
  indirect case version(ObjectVersion)
  /// Only if it is no longer the recorded version; an answer of 304 makes the entry `unchanged`. Asked of the reference
  /// with that index, because its server made the validator.
  indirect case conditional(Validator, reference: Int)
}

/// The planner's last word on one entry.
package struct Decision: Hashable, Sendable {
  package var action: Action
  package var comparedBy: ComparedBy
  package var reason: PlanReason
  /// How to fetch; nil for every action but `download` and `update`.
  package var fetch: Fetch?
  /// Digests of the file that stands at the destination, when they are proven: a transfer that brings the same bytes
  /// leaves the file untouched and is `unchanged`. nil = not known, or the file must be replaced all the same.
  package var standing: DigestSet?
  /// The mode to set on a file that stays; nil = leave it.
  package var mode: UInt16?
  /// The time of change to set on a file that stays, in nanoseconds since 1970; nil = leave it.
  package var modified: Int64?
  /// Whether a file that is deleted can be taken back from the trash.
  package var usesTrash: Bool
  /// Whether the state row is to be written although no bytes move.
  package var recordsState: Bool
  /// Why it cannot be; for `error` and `conflict` only.
  package var failure: TransferFailure? {
    get { sharedFailure?.value }
    set { sharedFailure = newValue.map { Shared($0) } }
  }
  /// Behind a reference: nearly all have none, and all would carry its size along.
  private var sharedFailure: Shared<TransferFailure>?

  package init(
    _ action: Action, _ reason: PlanReason, by comparedBy: ComparedBy = .none, fetch: Fetch? = nil,
    standing: DigestSet? = nil, mode: UInt16? = nil, modified: Int64? = nil, usesTrash: Bool = false,
    recordsState: Bool = false, failure: TransferFailure? = nil
  ) {
    self.action = action
    self.comparedBy = comparedBy
    self.reason = reason
    self.fetch = fetch
    self.standing = standing
    self.mode = mode
    self.modified = modified
    self.usesTrash = usesTrash
    self.recordsState = recordsState
    sharedFailure = failure.map { Shared($0) }
  }

  /// A decision that ends the entry with that failure.
  package static func failed(
    _ failure: TransferFailure, action: Action = .error, by comparedBy: ComparedBy = .none
  ) -> Decision {
    Decision(action, .failure(failure.reason), by: comparedBy, failure: failure)
  }
}

/// A decision, or the one fact that is missing for it. Whoever gathers facts answers and asks again; three questions are
/// the most that any entry takes.
package enum Verdict: Hashable, Sendable {
  case decided(Decision)
  /// Find out what the remote side has, by a listing that many entries share or by a metadata request.
  case needsRemote
  /// Read the file and compute these digests.
  case needsLocalDigests(DigestAlgorithms)

  /// Whether a request is sent for the entry, now or by its transfer.
  package var asksRemote: Bool {
    switch self {
    case .decided(let decision): decision.fetch != nil
    case .needsRemote: true
    case .needsLocalDigests: false
    }
  }
}

extension Verdict {
  /// The decision; nil when a fact is missing.
  package var decision: Decision? {
    if case .decided(let decision) = self { return decision }
    return nil
  }
}
