// One file that the manifest names.

package import TransferModel

/// One `items:` entry.
package struct Item: Sendable, Hashable {
  let wanted: Shared<WantedFile>
  package var mark: SourceMark

  /// One, or several mirrors of the same bytes, tried in order.
  package var references: [Reference] { wanted.value.references }
  /// The complete destination: a trailing slash in the manifest has been completed with the object's last name.
  package var destination: RelativePath { wanted.value.destination }
  /// Digests that the bytes must have.
  package var pins: DigestSet { wanted.value.pins }
  /// The size that the object must have; nil = any.
  package var size: ByteCount? { wanted.value.size }
  /// The generation to fetch; nil = the live one.
  package var generation: Int64? { wanted.value.generation }
  /// A document that lists the digest of this item.
  package var checksumURL: HTTPURL? { wanted.value.checksumURL }
  /// A file, relative to the manifest's folder, that is put in place while the object cannot be had.
  package var placeholder: String? { wanted.value.placeholder }
  package var settings: TransferSettings { wanted.value.settings.value }

  package init(
    references: [Reference], destination: RelativePath, pins: DigestSet = DigestSet(), size: ByteCount? = nil,
    generation: Int64? = nil, checksumURL: HTTPURL? = nil, placeholder: String? = nil,
    settings: TransferSettings = TransferSettings(), mark: SourceMark = SourceMark(line: 0, column: 0)
  ) {
    self.init(
      WantedFile(
        references: references, destination: destination, settings: Shared(settings), pins: pins, size: size,
        generation: generation, checksumURL: checksumURL, placeholder: placeholder),
      mark: mark)
  }

  init(_ wanted: WantedFile, mark: SourceMark) {
    self.wanted = Shared(wanted)
    self.mark = mark
  }
}
