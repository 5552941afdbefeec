// What an item of the manifest and its entry both say of one file. They hold the same one, by one reference: there may be
// a hundred thousand of them, and every fact, decision and outcome of an entry has a copy.

package import TransferModel

/// The shared part of `Item` and `Entry`, in which the meaning of the properties is described.
package struct WantedFile: Sendable, Hashable {
  package var references: [Reference]
  package var destination: RelativePath
  /// Hardly an item has its own.
  package var settings: Shared<TransferSettings>
  package var pins: DigestSet
  package var size: ByteCount?
  package var generation: Int64?
  package var checksumURL: HTTPURL?
  package var placeholder: String?

  package init(
    references: [Reference], destination: RelativePath, settings: Shared<TransferSettings>, pins: DigestSet,
    size: ByteCount?, generation: Int64?, checksumURL: HTTPURL?, placeholder: String?
  ) {
    self.references = references
    self.destination = destination
    self.settings = settings
    self.pins = pins
    self.size = size
    self.generation = generation
    self.checksumURL = checksumURL
    self.placeholder = placeholder
  }
}
