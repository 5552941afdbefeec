// What lists said of very many entries, until their turn to be decided comes: kept as bytes, a quarter of what as many
// values take.

package import TransferModel

/// Remote facts by the numbers of their entries. A value.
package struct ListedFacts: Sendable {
  private var places: [Int: Int] = [:]
  private var packed = PackedWriter()

  /// In the place of an object that a complete list has not.
  private static let absent = -1

  package init() {}

  package var count: Int { places.count }

  package mutating func note(absent number: Int) { places[number] = Self.absent }

  package mutating func note(_ version: ObjectVersion, of number: Int) {
    places[number] = packed.bytes.count
    packed.append(version)
  }

  /// `notAsked` when no list has answered.
  package subscript(number: Int) -> RemoteFact {
    guard let place = places[number] else { return .notAsked }
    guard place != Self.absent else { return .absent }
    var reader = PackedReader(packed.bytes, at: place)
    return .present(reader.version())
  }
}

/// Which parts a version has.
private struct PackedParts: OptionSet {
  let rawValue: Int
  static let generation = PackedParts(rawValue: 1 << 0)
  static let etag = PackedParts(rawValue: 1 << 1)
  static let lastModified = PackedParts(rawValue: 1 << 2)
  static let size = PackedParts(rawValue: 1 << 3)
  static let contentEncoding = PackedParts(rawValue: 1 << 4)
}

extension PackedWriter {
  fileprivate mutating func append(_ version: ObjectVersion) {
    var parts: PackedParts = []
    if version.generation != nil { parts.insert(.generation) }
    if version.etag != nil { parts.insert(.etag) }
    if version.lastModified != nil { parts.insert(.lastModified) }
    if version.size != nil { parts.insert(.size) }
    if version.contentEncoding != nil { parts.insert(.contentEncoding) }
    append(parts.rawValue)
    append(version.digests)
    if let generation = version.generation { append(Int(generation)) }
    if let etag = version.etag { append(text: etag) }
    if let time = version.lastModified {
      append(signed: Int(time.seconds))
      append(Int(time.nanoseconds))
    }
    if let size = version.size { append(Int(size)) }
    if let encoding = version.contentEncoding { append(text: encoding) }
  }
}

extension PackedReader {
  fileprivate mutating func version() -> ObjectVersion {
    let parts = PackedParts(rawValue: number())
    var version = ObjectVersion(digests: digests())
    if parts.contains(.generation) { version.generation = Int64(number()) }
    if parts.contains(.etag) { version.etag = text() }
    if parts.contains(.lastModified) {
      let seconds = Int64(signedNumber())
      version.lastModified = Timestamp(seconds: seconds, nanoseconds: Int32(number()))
    }
    if parts.contains(.size) { version.size = Int64(number()) }
    if parts.contains(.contentEncoding) { version.contentEncoding = text() }
    return version
  }
}
