// What a transfer brought, in the report's words.

import FileTransfer
import MirrorPlan
import TransferModel

extension EntryOutcome {
  /// Attempts, bytes and times.
  mutating func add(_ result: DownloadResult) {
    attempts = result.attempts.map { record in
      guard let failure = record.failure else {
        return Attempt(status: record.status, wait: record.wait, bytes: record.bytes)
      }
      return Attempt(
        status: record.status, error: failure.reason, wait: record.wait, bytes: record.bytes,
        message: failure.reason.refusesBytes ? failure.message : nil)
    }
    bytes = result.bytesReceived
    bytesResumed = result.bytesResumed
    bytesWasted = result.bytesWasted
    duration = result.duration
    streams = result.streams
    httpStatus = result.attempts.last?.status
    switch result.ending {
    case .stored, .identical, .unchanged: servedBy = result.servedBy
    case .failed: break
    }
  }

  /// Version and digests of what is in place now.
  mutating func add(_ object: StoredObject) {
    generation = object.version.generation
    etag = object.version.etag
    digests = object.fileDigests
    provenBy =
      switch object.evidence {
      case .pinnedDigest: .pinnedHash
      case .serverDigest: .remoteHash
      case .length: .length
      case .none: .nothing
      }
  }

  /// An object that never became an entry.
  init(refused row: PlannedEntry, tree: String) {
    self.init(
      reference: row.source, destination: row.destination, tree: tree,
      action: row.action, outcome: row.failure?.failureClass == .cancelled ? .skipped : .failed, reason: row.reason,
      comparedBy: row.comparedBy, httpStatus: row.failure?.httpStatus, failure: row.failure)
  }
}

extension EntryOutcome {
  /// As `init(_:_:outcome:)`, with the tree.
  init(_ facts: EntryFacts, _ decision: Decision, outcome: Outcome) {
    self.init(facts.entry, decision, outcome: outcome, tree: facts.tree)
  }
}

extension ReasonCode {
  /// Bytes came and were not what they should have been.
  fileprivate var refusesBytes: Bool { self == .checksumMismatch || self == .sizeMismatch }
}

extension ObjectVersion {
  /// This, with what the state knows of the same version and this does not say.
  func completed(by recorded: RecordedFile?) -> ObjectVersion {
    guard let known = recorded?.version, !isContradicted(by: known) else { return self }
    var version = self
    version.etag = etag ?? known.etag
    version.lastModified = lastModified ?? known.lastModified
    version.size = size ?? known.size
    version.contentEncoding = contentEncoding ?? known.contentEncoding
    version.digests = digests.completed(by: known.digests)
    return version
  }
}
