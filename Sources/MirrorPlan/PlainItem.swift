// An item that says nothing but one link, a destination and digests. Long lists are of these, and where the link is beside
// the one before, the item goes from its text into the packed list: as a draft, a reference and an item on the way it
// takes twice the time.

package import TransferModel

/// An item as it stands in the text, which lends it its bytes. These are words in which nothing is to be replaced: letters,
/// digits and marks of ASCII, but no `$`, `?` or `#`.
package struct PlainItem {
  let reference: UnsafeBufferPointer<UInt8>
  let destination: UnsafeBufferPointer<UInt8>
  let pins: DigestSet
  let mark: SourceMark
  let destinationSpan: SourceSpan

  @inlinable
  package init(
    reference: UnsafeBufferPointer<UInt8>, destination: UnsafeBufferPointer<UInt8>, pins: DigestSet, mark: SourceMark,
    destinationSpan: SourceSpan
  ) {
    self.reference = reference
    self.destination = destination
    self.pins = pins
    self.mark = mark
    self.destinationSpan = destinationSpan
  }
}

extension ManifestValidator {
  /// False when the item has to be looked at as a draft; nothing has been taken then.
  mutating func take(
    _ item: PlainItem, _ context: EntryContext, _ items: inout ItemList, _ places: inout DestinationPlaces
  ) -> Bool {
    guard let neighbour = links.plainNeighbour(of: item.reference), RelativePath.isPlain(item.destination) else {
      return false
    }
    if keepsItems { items.append(item, beside: neighbour, context.defaults) }
    places.append(
      RelativePath(known: String(decoding: item.destination, as: UTF8.self)), at: item.destinationSpan)
    return true
  }
}

extension LinkReader {
  /// The latest plain URL, if the text is the URL of something else at the same server, and no link to an object of a
  /// bucket; nil when that has to be looked at.
  func plainNeighbour(of text: UnsafeBufferPointer<UInt8>) -> HTTPURL? {
    guard let latest, let rest = latest.rest(ofSibling: text) else { return nil }
    return server == nil || (isPlainServer && !StorageAddress.mayBeLink(path: rest)) ? latest : nil
  }
}
