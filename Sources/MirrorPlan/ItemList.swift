// The items of a manifest, of which there may be a hundred thousand: kept as bytes, a tenth of what as many values take,
// and made into values when their turn comes.

import TransferModel

/// Items in the order of the manifest. A value.
///
/// Texts are front-coded: each is kept as the number of bytes that it has in common with the one before, and the rest.
/// What many items share (settings, sites, buckets) is kept once. So items can be read from the first on only.
package struct ItemList: Sequence, Sendable {
  package private(set) var count = 0
  private var packed = PackedWriter()
  private var shared = ItemParts()
  private var texts = ItemTexts()
  private var line = 0

  package init() {}

  package init(_ items: some Sequence<Item>) {
    for item in items { append(item) }
  }

  package var isEmpty: Bool { count == 0 }
  package var first: Item? { first { _ in true } }
  package var underestimatedCount: Int { count }

  /// All settings that items have, each once.
  package var settings: [TransferSettings] { shared.settings.values.map(\.value) }
  /// Whether an item's object is asked for by the storage API.
  package var hasStorageObjects: Bool { !shared.buckets.values.isEmpty }

  package mutating func append(_ item: Item) {
    begin(at: item.mark)
    packed.append(item.wanted.value, &shared, &texts)
  }

  /// - Parameter neighbour: a URL at the same server.
  mutating func append(_ item: PlainItem, beside neighbour: HTTPURL, _ settings: Shared<TransferSettings>) {
    begin(at: item.mark)
    packed.append(item, beside: neighbour, settings, &shared, &texts)
  }

  private mutating func begin(at mark: SourceMark) {
    packed.append(signed: mark.line - line)
    line = mark.line
    packed.append(mark.column)
    count += 1
  }

  package func makeIterator() -> Iterator {
    Iterator(remaining: count, reader: PackedReader(packed.bytes), shared: shared)
  }

  /// Makes the items one by one.
  package struct Iterator: IteratorProtocol, Sendable {
    private(set) var remaining: Int
    private var reader: PackedReader
    private let shared: ItemParts
    private var texts = ItemTexts()
    private var line = 0

    fileprivate init(remaining: Int, reader: PackedReader, shared: ItemParts) {
      self.remaining = remaining
      self.reader = reader
      self.shared = shared
    }

    package mutating func next() -> Item? {
      guard remaining > 0 else { return nil }
      remaining -= 1
      line += reader.signedNumber()
      let column = reader.number()
      return Item(
        reader.wantedFile(shared, &texts), mark: SourceMark(line: line, column: column))
    }
  }
}

extension ItemList: Equatable {
  package static func == (left: ItemList, right: ItemList) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }
}

extension ItemList: ExpressibleByArrayLiteral {
  package init(arrayLiteral items: Item...) { self.init(items) }
}
