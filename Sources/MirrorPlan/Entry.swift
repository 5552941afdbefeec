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

  /// One, or several mirrors of the same bytes, tried in order; never empty.
  package var references: [Reference]
  package var destination: RelativePath
  package var settings: TransferSettings
  /// Digests that the bytes must have, in the form in which they are kept (`settings.content`).
  package var pins: DigestSet
  /// The size that the object must have; nil = any.
  package var size: ByteCount?
  /// The generation to fetch; nil = the live one.
  package var generation: Int64?
  /// A document that lists the digest of this entry.
  package var checksumURL: HTTPURL?
  /// A file, relative to the manifest's folder, that is put in place while the object cannot be had.
  package var placeholder: String?
  package var declaration: Declaration
  /// One key for each reference, in the same order.
  package let sourceKeys: [SourceKey]

  package init(
    references: [Reference], destination: RelativePath, settings: TransferSettings = TransferSettings(),
    pins: DigestSet = DigestSet(), size: ByteCount? = nil, generation: Int64? = nil, checksumURL: HTTPURL? = nil,
    placeholder: String? = nil, declaration: Declaration
  ) {
    precondition(!references.isEmpty, "an entry has at least one reference")
    self.references = references
    self.destination = destination
    self.settings = settings
    self.pins = pins
    self.size = size
    self.generation = generation
    self.checksumURL = checksumURL
    self.placeholder = placeholder
    self.declaration = declaration
    sourceKeys = references.map { SourceKey($0) }
  }

  package init(_ item: Item) {
    self.init(
      references: item.references, destination: item.destination, settings: item.settings, pins: item.pins,
      size: item.size, generation: item.generation, checksumURL: item.checksumURL, placeholder: item.placeholder,
      declaration: .item(item.mark))
  }

  /// The key of the first reference: what a file is recorded under when that reference served it.
  package var sourceKey: SourceKey { sourceKeys[0] }

  /// A short name that is the same in every run, for reports.
  package var id: String { EntryFingerprint(of: destination.text).hex }

  package var isFromTree: Bool {
    switch declaration {
    case .item: false
    case .tree: true
    }
  }
}
