// One file that the manifest names.

package import TransferModel

/// One `items:` entry.
package struct Item: Sendable, Hashable {
  private(set) var wanted: Shared<WantedFile>
  package var mark: SourceMark

  /// One, or several mirrors of the same bytes, tried in order.
  package var references: [Reference] {
    get { wanted.value.references }
    set { wanted = wanted.with(\.references, newValue) }
  }
  /// The complete destination: a trailing slash in the manifest has been completed with the object's last name.
  package var destination: RelativePath {
    get { wanted.value.destination }
    set { wanted = wanted.with(\.destination, newValue) }
  }
  /// Digests that the bytes must have.
  package var pins: DigestSet {
    get { wanted.value.pins }
    set { wanted = wanted.with(\.pins, newValue) }
  }
  /// The size that the object must have; nil = any.
  package var size: ByteCount? {
    get { wanted.value.size }
    set { wanted = wanted.with(\.size, newValue) }
  }
  /// The generation to fetch; nil = the live one.
  package var generation: Int64? {
    get { wanted.value.generation }
    set { wanted = wanted.with(\.generation, newValue) }
  }
  /// A document that lists the digest of this item.
  package var checksumURL: HTTPURL? {
    get { wanted.value.checksumURL }
    set { wanted = wanted.with(\.checksumURL, newValue) }
  }
  /// A file, relative to the manifest's folder, that is put in place while the object cannot be had.
  package var placeholder: String? {
    get { wanted.value.placeholder }
    set { wanted = wanted.with(\.placeholder, newValue) }
  }
  package var settings: TransferSettings {
    get { wanted.value.settings.value }
    set { wanted = wanted.with(\.settings, Shared(newValue)) }
  }

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
