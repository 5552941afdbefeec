// The values that the state keeps, one type a table.

package import MirrorPlan
package import TransferModel

/// One row of the state about a destination.
package struct StateRow: Hashable, Sendable {
  package var destination: RelativePath
  /// Names the tree that the destination came from; nil for an item. Only what a tree brought may be pruned by it.
  package var tree: String?
  package var file: RecordedFile

  package init(destination: RelativePath, tree: String? = nil, file: RecordedFile) {
    self.destination = destination
    self.tree = tree
    self.file = file
  }
}

/// A part file that is worth going on with: which version its bytes are of, and how many there were.
package struct PartRecord: Hashable, Sendable {
  package var destination: RelativePath
  /// The part file's name, in the destination's folder.
  package var temporaryName: String
  /// Names the reference, without secrets.
  package var source: String
  package var validator: Validator
  /// The whole object's length in bytes; nil when it was not said.
  package var total: Int64?
  /// How many bytes had been written when the record was made; the file itself says how many there are now.
  package var bytes: Int64
  package var noted: Timestamp
  /// The stretches of the file that hold bytes, in order, without overlap; nil = all of it does, to its end.
  package var stretches: [Range<Int64>]?

  package init(
    destination: RelativePath, temporaryName: String, source: String, validator: Validator, total: Int64?,
    bytes: Int64, noted: Timestamp, stretches: [Range<Int64>]? = nil
  ) {
    self.destination = destination
    self.temporaryName = temporaryName
    self.source = source
    self.validator = validator
    self.total = total
    self.bytes = bytes
    self.noted = noted
    self.stretches = stretches
  }
}

/// What was learned about a server that is worth knowing in the next run.
package struct HostRecord: Hashable, Sendable {
  /// Scheme, host and port, as `Origin` prints them.
  package var origin: String
  /// Whether it answered a ranged request with the whole body.
  package var refusesRanges: Bool
  /// When that was seen; the reader decides how long to believe it.
  package var noted: Timestamp

  package init(origin: String, refusesRanges: Bool, noted: Timestamp) {
    self.origin = origin
    self.refusesRanges = refusesRanges
    self.noted = noted
  }
}

/// One run, for `mirror status`.
package struct RunRecord: Hashable, Sendable {
  package struct Counts: Hashable, Sendable {
    package var transferred: Int64 = 0
    package var unchanged: Int64 = 0
    package var deleted: Int64 = 0
    package var failed: Int64 = 0
    /// Bytes that came over the wire.
    package var bytes: Int64 = 0

    package init() {}
  }

  package var id: String
  package var started: Timestamp
  /// nil while the run goes on, and for ever when it was killed.
  package var ended: Timestamp?
  /// The exit status; nil as `ended`.
  package var exitStatus: Int32?
  package var counts: Counts

  package init(
    id: String, started: Timestamp, ended: Timestamp? = nil, exitStatus: Int32? = nil, counts: Counts = Counts()
  ) {
    self.id = id
    self.started = started
    self.ended = ended
    self.exitStatus = exitStatus
    self.counts = counts
  }
}
