// What is to be downloaded and what it has to be, and what became of it. Values only.

package import TransferModel

/// One object to one sink.
package struct DownloadSpec: Sendable {
  /// Digests, size and generation that the user pinned: the bytes have them or they are not taken.
  package struct Pins: Hashable, Sendable {
    package var digests: DigestSet
    package var size: Int64?
    package var generation: Int64?

    package init(digests: DigestSet = DigestSet(), size: Int64? = nil, generation: Int64? = nil) {
      self.digests = digests
      self.size = size
      self.generation = generation
    }
  }

  /// How much must be proven about the bytes.
  package enum Proof: Sendable {
    /// By the strongest facts there are; the length at least.
    case strongest
    /// By a digest, or not at all.
    case digest
    /// The length is enough.
    case length
  }

  /// Mirrors of the same bytes, in the order in which they are asked; never empty.
  package var endpoints: [any ObjectEndpoint]
  package var pins: Pins
  /// What a listing or a metadata answer said a moment ago; its generation is asked for, so that all bytes are of one
  /// version. When that is gone, the live one is taken instead.
  package var listed: ObjectVersion?
  /// The version that is here already: a 304 ends the download as `unchanged`.
  package var known: Validator?
  /// Digests of the file that stands at the destination: when the same bytes come, it is left as it is.
  package var standing: DigestSet?
  /// The version of the part that an earlier run left; nil = there is none worth continuing.
  package var part: ObjectVersion?
  package var maxSize: Int64?
  package var proof: Proof
  /// Whether the file gets the object's own time.
  package var keepsModified: Bool
  package var timeouts: TransferTimeouts
  /// From its first request; nil = none.
  package var deadline: Duration?
  package var retry: RetryPolicy
  /// Makes the sink, on the transfer's thread, for bytes of that version, computing at least these digests of them. Called
  /// again, after the first sink was discarded, only when the object was replaced by one that is stored in another coding.
  package var openSink: @Sendable (DigestAlgorithms, ObjectVersion) throws(TransferFailure) -> any ByteSink
  /// Called on the transfer's thread once the sink holds enough bytes of a version that can be continued, so that a later
  /// run may do so even if this one is killed.
  package var becameResumable: (@Sendable (ObjectVersion) -> Void)?
  package var progress: TransferProgress?
  /// Called on the transfer's thread when bytes have been taken: how many of the stored bytes are there now, and of how
  /// many; nil = the server names no length. Less than before after a start from zero.
  package var advanced: (@Sendable (_ position: Int64, _ total: Int64?) -> Void)?
  /// Asked on the transfer's thread when the head of a body has come and before a byte is taken, once an attempt: how many
  /// bytes will come; nil = the server does not say. A failure ends the download with it.
  package var admitsBody: (@Sendable (Int64?) -> TransferFailure?)?
  /// Called on the transfer's thread before a wait: why, and how long.
  package var waits: (@Sendable (TransferFailure, Duration) -> Void)?
  /// Whether bytes of a download that failed or was cancelled are kept for a later run, when that could continue them.
  package var keepsParts: Bool
  /// When several streams may fetch the object side by side; nil = never.
  package var ranges: RangePolicy?
  /// Makes what writes down what a divided part holds; nil = a part that was divided is not kept.
  package var makeKeeper: (@Sendable () -> any StretchKeeper)?
  /// Whether something is written down of a part of this destination, of whatever version.
  package var hasPartRecord = false

  package init(
    endpoints: [any ObjectEndpoint], pins: Pins = Pins(), listed: ObjectVersion? = nil, known: Validator? = nil,
    standing: DigestSet? = nil, part: ObjectVersion? = nil, maxSize: Int64? = nil, proof: Proof = .strongest,
    keepsModified: Bool = true,
    timeouts: TransferTimeouts = TransferTimeouts(), deadline: Duration? = nil, retry: RetryPolicy = RetryPolicy(),
    openSink: @escaping @Sendable (DigestAlgorithms, ObjectVersion) throws(TransferFailure) -> any ByteSink,
    becameResumable: (@Sendable (ObjectVersion) -> Void)? = nil, progress: TransferProgress? = nil,
    advanced: (@Sendable (Int64, Int64?) -> Void)? = nil, waits: (@Sendable (TransferFailure, Duration) -> Void)? = nil,
    keepsParts: Bool = true
  ) {
    self.endpoints = endpoints
    self.pins = pins
    self.listed = listed
    self.known = known
    self.standing = standing
    self.part = part
    self.maxSize = maxSize
    self.proof = proof
    self.keepsModified = keepsModified
    self.timeouts = timeouts
    self.deadline = deadline
    self.retry = retry
    self.openSink = openSink
    self.becameResumable = becameResumable
    self.progress = progress
    self.advanced = advanced
    self.waits = waits
    self.keepsParts = keepsParts
  }

  /// From this many bytes on, a part is worth continuing in a later run.
  package static let resumableBytes: Int64 = 1 << 20
}

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

/// An object that was received, proven and put in place.
package struct StoredObject: Sendable {
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
  package var version: ObjectVersion
  /// Of the stored bytes.
  package var digests: DigestSet
  /// Of the bytes that were put in place: the same, unless the sink decodes.
  package var fileDigests: DigestSet
  /// The stored length.
  package var size: Int64
  package var evidence: Evidence
  /// nil when the sink is no file.
  package var stamp: LocalStamp?

  package init(
    version: ObjectVersion, digests: DigestSet, size: Int64, evidence: Evidence, stamp: LocalStamp? = nil
  ) {
    self.version = version
    self.digests = digests
    fileDigests = digests
    self.size = size
    self.evidence = evidence
    self.stamp = stamp
  }
}
