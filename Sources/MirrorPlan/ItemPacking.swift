// How one item is written to bytes and read from them again: the two halves of `ItemList`, side by side.

import TransferModel

/// What many items share.
struct ItemParts: Sendable {
  var settings = Interned<Shared<TransferSettings>>()
  /// URLs whose path is `/`.
  var sites = Interned<HTTPURL>()
  /// Addresses without an object.
  var buckets = Interned<StorageAddress>()
}

/// The texts of the item before.
struct ItemTexts: Sendable {
  var destination = FrontCoding()
  /// Names of objects, and paths and queries of URLs.
  var path = FrontCoding()
  var document = FrontCoding()
  var placeholder = FrontCoding()
}

/// What stands for a reference.
private enum PackedReference: Int {
  /// The number of a bucket, and the object's name.
  case object
  /// The number of a bucket.
  case bucket
  /// The number of a site, and the rest of the URL.
  case web
}

/// Which optional parts an item has.
private struct PackedFields: OptionSet {
  let rawValue: Int
  static let size = PackedFields(rawValue: 1 << 0)
  static let generation = PackedFields(rawValue: 1 << 1)
  static let checksumURL = PackedFields(rawValue: 1 << 2)
  static let placeholder = PackedFields(rawValue: 1 << 3)
}

extension PackedWriter {
  mutating func append(_ file: WantedFile, _ shared: inout ItemParts, _ texts: inout ItemTexts) {
    append(shared.settings.number(of: file.settings) { $0 === $1 })
    append(file.destination.text, &texts.destination)
    append(file.references.count)
    for reference in file.references { append(reference, &shared, &texts.path) }
    var fields: PackedFields = []
    if file.size != nil { fields.insert(.size) }
    if file.generation != nil { fields.insert(.generation) }
    if file.checksumURL != nil { fields.insert(.checksumURL) }
    if file.placeholder != nil { fields.insert(.placeholder) }
    append(fields.rawValue)
    append(file.pins)
    if let size = file.size { append(Int(size.bytes)) }
    if let generation = file.generation { append(Int(generation)) }
    if let url = file.checksumURL { append(url, &shared, &texts.document) }
    if let placeholder = file.placeholder { append(placeholder, &texts.placeholder) }
  }

  /// As above, of an item that has no more than that.
  mutating func append(
    _ item: PlainItem, beside neighbour: HTTPURL, _ settings: Shared<TransferSettings>, _ shared: inout ItemParts,
    _ texts: inout ItemTexts
  ) {
    append(shared.settings.number(of: settings) { $0 === $1 })
    append(item.destination, &texts.destination)
    append(1)
    append(PackedReference.web.rawValue)
    let path = UnsafeBufferPointer(rebasing: item.reference[neighbour.pathStart...])
    append(path, pathLength: path.count, beside: neighbour, &shared, &texts.path)
    append(PackedFields().rawValue)
    append(item.pins)
  }

  private mutating func append(_ reference: Reference, _ shared: inout ItemParts, _ path: inout FrontCoding) {
    switch reference {
    case .web(let url):
      append(PackedReference.web.rawValue)
      append(url, &shared, &path)
    case .storage(var address):
      let object = address.object
      address.object = nil
      append((object == nil ? PackedReference.bucket : .object).rawValue)
      append(shared.buckets.number(of: address))
      if let object { append(object.text, &path) }
    }
  }

  private mutating func append(_ url: HTTPURL, _ shared: inout ItemParts, _ path: inout FrontCoding) {
    url.withRest { append($0, pathLength: $1, beside: url, &shared, &path) }
  }

  /// What follows the site of a URL.
  private mutating func append(
    _ rest: UnsafeBufferPointer<UInt8>, pathLength: Int, beside neighbour: HTTPURL, _ shared: inout ItemParts,
    _ path: inout FrontCoding
  ) {
    if let last = shared.sites.last, neighbour.isBeside(last.value) {
      append(last.number)
    } else {
      append(shared.sites.number(of: neighbour.site))
    }
    append(pathLength)
    append(rest, &path)
  }
}

extension PackedReader {
  mutating func wantedFile(_ shared: ItemParts, _ texts: inout ItemTexts) -> WantedFile {
    let settings = shared.settings.values[number()]
    let destination = RelativePath(known: text(&texts.destination))
    var file = WantedFile(
      references: [], destination: destination, settings: settings, pins: DigestSet(), size: nil, generation: nil,
      checksumURL: nil, placeholder: nil)
    let count = number()
    file.references.reserveCapacity(count)
    for _ in 0..<count { file.references.append(reference(shared, &texts.path)) }
    let fields = PackedFields(rawValue: number())
    file.pins = digests()
    if fields.contains(.size) { file.size = ByteCount(Int64(number())) }
    if fields.contains(.generation) { file.generation = Int64(number()) }
    if fields.contains(.checksumURL) { file.checksumURL = url(shared, &texts.document) }
    if fields.contains(.placeholder) { file.placeholder = text(&texts.placeholder) }
    return file
  }

  private mutating func reference(_ shared: ItemParts, _ path: inout FrontCoding) -> Reference {
    let kind = PackedReference(rawValue: number())
    guard kind != .web else { return .web(url(shared, &path)) }
    var address = shared.buckets.values[number()]
    if kind == .object { address.object = ObjectName(text(&path)) }
    return .storage(address)
  }

  private mutating func url(_ shared: ItemParts, _ path: inout FrontCoding) -> HTTPURL {
    let site = shared.sites.values[number()]
    let pathLength = number()
    advance(&path)
    return path.withBytes { HTTPURL(beside: site, rest: $0, pathLength: pathLength) }
  }
}
