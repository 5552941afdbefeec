// One row of a plan, as it is shown and written. What the executor runs is the `Entry` with its `Decision`.

package import TransferModel

package struct PlannedEntry: Hashable, Sendable {
  /// The destination; for an object whose name is refused, the name as the server spells it.
  package var destination: String
  package var action: Action
  /// The stored size; nil = not known.
  package var size: ByteCount?
  package var comparedBy: ComparedBy
  package var reason: PlanReason
  /// The reference, without secrets.
  package var source: String
  package var failure: TransferFailure?

  package init(
    destination: String, action: Action, size: ByteCount? = nil, comparedBy: ComparedBy = .none, reason: PlanReason,
    source: String, failure: TransferFailure? = nil
  ) {
    self.destination = destination
    self.action = action
    self.size = size
    self.comparedBy = comparedBy
    self.reason = reason
    self.source = source
    self.failure = failure
  }

  /// The row of a decision; the size is the remote side's, else the one that the manifest or the state names.
  package init(_ entry: Entry, _ decision: Decision, remote: RemoteFact = .notAsked, recorded: RecordedFile? = nil) {
    self.init(
      destination: entry.destination.text, action: decision.action, size: Self.size(of: entry, remote, recorded),
      comparedBy: decision.comparedBy,
      reason: decision.reason, source: entry.references[0].display, failure: decision.failure)
  }

  /// The stored size, as far as it is known without asking.
  package static func size(of entry: Entry, _ remote: RemoteFact, _ recorded: RecordedFile?) -> ByteCount? {
    if case .present(let version) = remote, let stored = version.size { return ByteCount(stored) }
    return entry.size ?? recorded?.version.size.map { ByteCount($0) }
  }
}
