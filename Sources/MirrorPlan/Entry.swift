// What the planner works on: one file that is wanted. Which entries there are is decided by the manifest's items and by
// `EntryInventory` for trees.

package import TransferModel

/// One (reference, destination) pair after trees were listed.
package struct Entry: Sendable, Hashable {
  /// Which part of the manifest asked for the entry.
  package enum Declaration: Sendable, Hashable {
    case item(SourceMark)
    case tree(SourceMark)
  }

  private var wanted: Shared<WantedFile>
  package var declaration: Declaration

  /// One, or several mirrors of the same bytes, tried in order; never empty.
  package var references: [Reference] {
    get { wanted.value.references }
    set { wanted = wanted.with(\.references, newValue) }
  }
  package var destination: RelativePath {
    get { wanted.value.destination }
    set { wanted = wanted.with(\.destination, newValue) }
  }
  /// Digests that the bytes must have, in the form in which they are kept (`settings.content`).
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
  /// A document that lists the digest of this entry.
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
  /// The settings by reference: a copy of them counts ten references that all threads share.
  package var sharedSettings: Shared<TransferSettings> { wanted.value.settings }
  /// In which form the bytes are kept; as in the settings.
  package var content: TransferSettings.ContentForm { wanted.value.settings.value.content }
  /// One key for each reference, in the same order.
  package var sourceKeys: SourceKeys { SourceKeys(wanted.value.references) }

  package init(
    references: [Reference], destination: RelativePath, settings: TransferSettings = TransferSettings(),
    pins: DigestSet = DigestSet(), size: ByteCount? = nil, generation: Int64? = nil, checksumURL: HTTPURL? = nil,
    placeholder: String? = nil, declaration: Declaration
  ) {
    precondition(!references.isEmpty, "an entry has at least one reference")
    wanted = Shared(
      WantedFile(
        references: references, destination: destination, settings: Shared(settings), pins: pins, size: size,
        generation: generation, checksumURL: checksumURL, placeholder: placeholder))
    self.declaration = declaration
  }

  package init(_ item: Item) {
    precondition(!item.references.isEmpty, "an entry has at least one reference")
    wanted = item.wanted
    declaration = .item(item.mark)
  }

  /// The key of the first reference: what a file is recorded under when that reference served it.
  package var sourceKey: SourceKey { SourceKey(references[0]) }

  /// A short name that is the same in every run, for reports.
  package var id: String { EntryFingerprint(of: destination.text).hex }

  package var isFromTree: Bool {
    switch declaration {
    case .item: false
    case .tree: true
    }
  }
}
