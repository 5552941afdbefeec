// Whether the bytes that came are the object: pure. Length is judged before any digest, so that a dropped connection is
// never taken for tampering (P06).

package import TransferModel

package enum DownloadProof {
  /// What there is to judge.
  package struct Received: Sendable {
    /// Bytes held.
    package var size: Int64
    /// The length that the server named; nil = none.
    package var total: Int64?
    /// Whether the end of the body was marked (`ExchangeEnd.lengthWasFramed`).
    package var wasFramed: Bool
    /// It was not marked, and TLS ended without its farewell (`ExchangeEnd.lacksTLSFarewell`).
    package var lacksFarewell: Bool
    /// The server decoded the stored bytes on the way, so its digests and lengths are of something else.
    package var isTranscoded: Bool
    /// Computed from the bytes held.
    package var digests: DigestSet
    /// What the server said.
    package var version: ObjectVersion

    package init(
      size: Int64, total: Int64?, wasFramed: Bool, lacksFarewell: Bool = false, isTranscoded: Bool, digests: DigestSet,
      version: ObjectVersion
    ) {
      self.size = size
      self.total = total
      self.wasFramed = wasFramed
      self.lacksFarewell = lacksFarewell
      self.isTranscoded = isTranscoded
      self.digests = digests
      self.version = version
    }
  }

  /// | length | digest | verdict |
  /// | --- | --- | --- |
  /// | shorter than named | – | `truncated`, transient |
  /// | longer than named, or not as pinned | – | `size_mismatch`, integrity |
  /// | unmarked end, 0 bytes, nothing proves that 0 is right | – | `truncated`, transient (P07) |
  /// | right or unknown | a pin differs | `checksum_mismatch`, integrity |
  /// | right or unknown | the server's differs, not transcoded, proof is not `length` | `checksum_mismatch`, integrity |
  /// | right or unknown | a pin agrees | `pinnedDigest` |
  /// | right or unknown | the server's agrees, not transcoded | `serverDigest` |
  /// | right or unknown | none to compare, proof is `digest` | `not_comparable`, permanent |
  /// | right, pinned, or marked | none to compare | `length` |
  /// | unknown and unmarked, cut under TLS, proof is not `length` | none to compare | `truncated`, transient (RFC 9112 section 9.8) |
  /// | unknown and unmarked | none to compare | `none` (P50) |
  package static func evidence(
    for received: Received, pins: DownloadSpec.Pins, proof: DownloadTerms.Proof, place: @autoclosure () -> String
  ) throws(TransferFailure) -> StoredObject.Evidence {
    let stored = received.isTranscoded ? nil : received.version.size
    try checkLength(received, expected: received.total ?? stored, pinned: pins.size, place())
    if case .different(let algorithm) = pins.digests.compare(with: received.digests) {
      throw mismatch(algorithm, pins.digests, received.digests, "pinned", place())
    }
    let served = received.version.digests.compare(with: received.digests)
    if case .different(let algorithm) = served, !received.isTranscoded, proof != .length {
      throw mismatch(algorithm, received.version.digests, received.digests, "the server's", place())
    }
    if case .equal = pins.digests.compare(with: received.digests) { return .pinnedDigest }
    if case .equal = served, !received.isTranscoded { return .serverDigest }
    if proof == .digest {
      throw TransferFailure(
        .notComparable, .permanent, "\(place()) names no checksum, and `verify: strict` takes nothing less",
        hint: "Pin a `sha256:` for this item, or use `verify: auto`.")
    }
    if received.total != nil || stored != nil || pins.size != nil || received.wasFramed { return .length }
    if received.size == 0 {
      throw TransferFailure(.truncated, .transient, "\(place()): an empty body that nothing says is the whole object")
    }
    if received.lacksFarewell, proof != .length {
      throw TransferFailure(
        .truncated, .transient,
        "\(place()): the TLS connection was cut, and nothing else says that \(received.size) bytes are the whole object",
        hint: "Pin a `size:` or `sha256:` for this item if its server never ends TLS as it should.")
    }
    return .none
  }

  private static func checkLength(
    _ received: Received, expected: Int64?, pinned: Int64?, _ place: @autoclosure () -> String
  ) throws(TransferFailure) {
    if let expected, received.size < expected {
      throw TransferFailure(.truncated, .transient, "\(place()): \(received.size) of \(expected) bytes came")
    }
    if let wanted = expected == received.size ? pinned : expected ?? pinned, received.size != wanted {
      throw TransferFailure(
        .sizeMismatch, .integrity, "\(place()): \(received.size) bytes came where \(wanted) were due")
    }
  }

  private static func mismatch(
    _ algorithm: DigestAlgorithm, _ expected: DigestSet, _ actual: DigestSet, _ whose: String, _ place: String
  ) -> TransferFailure {
    let want = expected[algorithm]?.hex ?? "", got = actual[algorithm]?.hex ?? ""
    return TransferFailure(
      .checksumMismatch, .integrity,
      "\(place): the bytes have \(algorithm.rawValue) \(got), but \(whose) is \(want)",
      hint: "If the object was replaced on purpose, update the pin; else do not trust this source.")
  }
}
