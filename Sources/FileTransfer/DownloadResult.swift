// What became of one download. Values only.

package import TransferModel

/// What became of one download. A class, because it is handed on to the end of a run's books: a copy is half a kilobyte.
package final class DownloadResult: Sendable {
  package enum Ending: Sendable {
    case stored(StoredObject)
    /// The bytes came and are those that stood there: nothing was written. Its `stamp` is nil.
    case identical(StoredObject)
    /// The server says that nothing has changed since `known`.
    case unchanged
    case failed(TransferFailure)
  }

  package let ending: Ending
  package let attempts: [AttemptRecord]
  /// Which of the endpoints was asked last: the one that served, on success.
  package let mirror: Int
  /// Its place, redacted.
  package let servedBy: String
  /// Body bytes that came over the wire, in all attempts.
  package let bytesReceived: Int64
  /// Bytes of an earlier run that did not have to come again.
  package let bytesResumed: Int64
  package let duration: Duration
  /// The version of the part that was kept for a later run; nil = nothing was kept.
  package let parked: ObjectVersion?
  /// The size of that part; 0 when nothing was kept.
  package let bytesParked: Int64
  /// With a failure by `maxSize`: the length that was declared, else the bytes that had come when it was too much.
  package let excessSize: Int64?
  /// The most streams that fetched it at the same time.
  package let streams: Int

  package init(
    ending: Ending, attempts: [AttemptRecord] = [], mirror: Int = 0, servedBy: String = "", bytesReceived: Int64 = 0,
    bytesResumed: Int64 = 0, duration: Duration = .zero, parked: ObjectVersion? = nil, bytesParked: Int64 = 0,
    excessSize: Int64? = nil, streams: Int = 1
  ) {
    self.ending = ending
    self.attempts = attempts
    self.mirror = mirror
    self.servedBy = servedBy
    self.bytesReceived = bytesReceived
    self.bytesResumed = bytesResumed
    self.duration = duration
    self.parked = parked
    self.bytesParked = bytesParked
    self.excessSize = excessSize
    self.streams = streams
  }

  /// Bytes that came and are in neither the file nor a kept part: of another version, sent again, or wrong (P17). A body
  /// that turned out to be what stands there already is not among them.
  package var bytesWasted: Int64 {
    let came = bytesReceived + bytesResumed
    switch ending {
    case .stored(let object), .identical(let object): return max(0, came - object.size)
    case .unchanged: return 0
    case .failed: return max(0, came - bytesParked)
    }
  }
}

/// An object that was received, proven and put in place. A class, as what carries it is looked at a dozen times.
package final class StoredObject: Sendable {
  /// What proved the bytes, strongest first.
  package enum Evidence: String, Sendable {
    case pinnedDigest = "pinned_hash"
    case serverDigest = "remote_hash"
    /// The whole length, as the server framed it.
    case length
    /// Nothing: the end of the connection ended the body.
    case none
  }

  /// What the response said, completed by what the listing said of the same version.
  package let version: ObjectVersion
  /// Of the stored bytes.
  package let digests: DigestSet
  /// Of the bytes that were put in place: the same, unless the sink decodes.
  package let fileDigests: DigestSet
  /// The stored length.
  package let size: Int64
  package let evidence: Evidence
  /// nil when the sink is no file, or was not put in place.
  package let stamp: LocalStamp?

  init(
    version: ObjectVersion, digests: DigestSet, fileDigests: DigestSet, size: Int64, evidence: Evidence,
    stamp: LocalStamp?
  ) {
    self.version = version
    self.digests = digests
    self.fileDigests = fileDigests
    self.size = size
    self.evidence = evidence
    self.stamp = stamp
  }
}
