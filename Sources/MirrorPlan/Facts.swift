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
///
/// A value; its parts stand behind one reference, because a row is passed on a dozen times and hardly ever changed.
package struct RecordedFile: Hashable, Sendable {
  private struct Parts: Hashable, Sendable {
    var source: String
    var version: ObjectVersion
    var stamp: LocalStamp
    var digests: DigestSet
    var content: TransferSettings.ContentForm
    var proven: Timestamp
    var isPlaceholder: Bool
  }

  private var parts: Shared<Parts>

  /// Names the reference that the bytes came from, without secrets (`SourceKey`).
  package var source: String {
    get { parts.value.source }
    set { parts = parts.with(\.source, newValue) }
  }
  /// What the response that brought the bytes said of its version; its digests are those of the stored bytes.
  package var version: ObjectVersion {
    get { parts.value.version }
    set { parts = parts.with(\.version, newValue) }
  }
  /// The file as it was after it had been put in place.
  package var stamp: LocalStamp {
    get { parts.value.stamp }
    set { parts = parts.with(\.stamp, newValue) }
  }
  /// Digests of the bytes on the disk (those of `version` unless the content was decoded).
  package var digests: DigestSet {
    get { parts.value.digests }
    set { parts = parts.with(\.digests, newValue) }
  }
  package var content: TransferSettings.ContentForm {
    get { parts.value.content }
    set { parts = parts.with(\.content, newValue) }
  }
  /// When the bytes were last proven, by a transfer or a rehash.
  package var proven: Timestamp {
    get { parts.value.proven }
    set { parts = parts.with(\.proven, newValue) }
  }
  /// Whether the file is the manifest's placeholder and not the object.
  package var isPlaceholder: Bool {
    get { parts.value.isPlaceholder }
    set { parts = parts.with(\.isPlaceholder, newValue) }
  }

  package init(
    source: String, version: ObjectVersion, stamp: LocalStamp, digests: DigestSet,
    content: TransferSettings.ContentForm = .stored, proven: Timestamp, isPlaceholder: Bool = false
  ) {
    parts = Shared(
      Parts(
        source: source, version: version, stamp: stamp, digests: digests, content: content, proven: proven,
        isPlaceholder: isPlaceholder))
  }
}

/// What is known of the remote side when an entry is planned.
package enum RemoteFact: Hashable, Sendable {
  /// Nothing was asked: the entry may be pinned and proven, or the GET itself will ask.
  case notAsked
  /// From a listing or a metadata request.
  indirect case present(ObjectVersion)
  /// The listing is complete and has it not, or the server answered 404.
  case absent
  /// It could not be found out.
  indirect case failed(TransferFailure)
}
