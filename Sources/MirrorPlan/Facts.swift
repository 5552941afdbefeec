// The facts that the planner stands on: what is on the disk, what earlier runs recorded, what the remote side says.
// Values only; who gathers them is in `MirrorEngine`.

package import TransferModel

/// What stands at a destination now. Symbolic links are seen as such, never followed.
package enum LocalFact: Hashable, Sendable {
  case absent
  /// `mode` holds the permission bits.
  case file(LocalStamp, mode: UInt16)
  case directory
  case symlink
  /// A socket, a device, a pipe.
  case other
}

/// What an earlier run proved about a destination; one row of the state.
package struct RecordedFile: Hashable, Sendable {
  /// Names the reference that the bytes came from, without secrets (`SourceKey`).
  package var source: String
  /// What the response that brought the bytes said of its version; its digests are those of the stored bytes.
  package var version: ObjectVersion
  /// The file as it was after it had been put in place.
  package var stamp: LocalStamp
  /// Digests of the bytes on the disk (those of `version` unless the content was decoded).
  package var digests: DigestSet
  package var content: TransferSettings.ContentForm
  /// When the bytes were last proven, by a transfer or a rehash.
  package var proven: Timestamp
  /// Whether the file is the manifest's placeholder and not the object.
  package var isPlaceholder: Bool

  package init(
    source: String, version: ObjectVersion, stamp: LocalStamp, digests: DigestSet,
    content: TransferSettings.ContentForm = .stored, proven: Timestamp, isPlaceholder: Bool = false
  ) {
    self.source = source
    self.version = version
    self.stamp = stamp
    self.digests = digests
    self.content = content
    self.proven = proven
    self.isPlaceholder = isPlaceholder
  }
}

/// What is known of the remote side when an entry is planned.
package enum RemoteFact: Hashable, Sendable {
  /// Nothing was asked: the entry may be pinned and proven, or the GET itself will ask.
  case notAsked
  /// From a listing or a metadata request.
  case present(ObjectVersion)
  /// The listing is complete and has it not, or the server answered 404.
  case absent
  /// It could not be found out.
  case failed(TransferFailure)
}
