// One page of a list of objects, read straight from its bytes: pages hold a thousand objects, and mirrors read thousands
// of pages.

package import TransferModel

/// What one answer to `ObjectService.list` holds.
package struct ObjectListPage: Sendable {
  package struct Item: Hashable, Sendable {
    package var name: ObjectName
    /// Empty at Firebase, whose lists hold names only. `lastModified` is Google's `updated`, which moves with the metadata
    /// too; an ETag is left out, as the one of a list is not the one of the media.
    package var version: ObjectVersion

    package init(name: ObjectName, version: ObjectVersion = ObjectVersion()) {
      self.name = name
      self.version = version
    }
  }

  /// An entry that could not be taken. The list is not complete then, so nothing may be deleted because of it.
  package struct Problem: Hashable, Sendable {
    /// What is wrong, one sentence.
    package var message: String
    /// The entry's name, where it has one.
    package var name: ObjectName?
    /// The kind of fault, as a report tells it.
    package var reason: ReasonCode

    package init(_ message: String, name: ObjectName? = nil, reason: ReasonCode = .unsafeName) {
      self.message = message
      self.name = name
      self.reason = reason
    }
  }

  /// In the server's order: at Google by bytes.
  package private(set) var items: [Item] = []
  /// Whole names of folders, from the bucket's root, each with its last `/`. One that came without it was given it.
  package private(set) var prefixes: [ObjectName] = []
  /// nil on the last page. A page may be empty and still have a token.
  package private(set) var nextPageToken: String?
  package private(set) var problems: [Problem] = []
  /// One sentence for each checksum that could not be read and counts as absent.
  package private(set) var warnings: [String] = []

  /// Throws `unexpectedContent` when the bytes are not one JSON object with lists where lists belong. An entry that cannot
  /// be read is reported in `problems`.
  package init(parsing bytes: [UInt8], api: StorageAPI) throws(TransferFailure) {
    do {
      var reader = JSONReader(bytes)
      try reader.beginObject()
      while let key = try reader.nextKey() {
        switch key {
        case "items": try readEntries(&reader) { page, reader throws(JSONError) in try page.readItem(&reader, api) }
        case "prefixes":
          try readEntries(&reader) { page, reader throws(JSONError) in try page.readPrefix(&reader, api) }
        case "nextPageToken":
          let token = try reader.readText()
          nextPageToken = token.flatMap { $0.isEmpty ? nil : $0 }
        default: try reader.skipValue()
        }
      }
      try reader.finish()
    } catch {
      throw TransferFailure(
        .unexpectedContent, .permanent, "The answer to a list request is not a list of objects: \(error)",
        hint: "A proxy or a login page may stand in between.")
    }
  }
}

extension ObjectListPage {
  /// Reads an array whose broken entries are reported and stepped over. A broken structure still throws.
  private mutating func readEntries(
    _ reader: inout JSONReader, _ readEntry: (inout Self, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard try reader.peek() != .null else { return try reader.readNull() }
    try reader.beginArray()
    while try reader.nextElement() {
      let start = reader
      do {
        try readEntry(&self, &reader)
      } catch {
        problems.append(
          Problem(
            "an entry of the list cannot be read: \(error)", reason: error.isNotUTF8 ? .nameNotUTF8 : .unsafeName))
        reader = start
        try reader.skipValue()
      }
    }
  }

  private mutating func readItem(_ reader: inout JSONReader, _ api: StorageAPI) throws(JSONError) {
    var name: String?
    var version = ObjectVersion()
    var hashes: (crc32c: String?, md5: String?) = (nil, nil)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "name": name = try reader.readText()
      case "size": version.size = try reader.readCount()
      case "generation": version.generation = try reader.readCount()
      case "crc32c": hashes.crc32c = try reader.readText()
      case "md5Hash": hashes.md5 = try reader.readText()
      case "contentEncoding":
        version.contentEncoding = try reader.readText().flatMap { $0 == "identity" || $0.isEmpty ? nil : $0 }
      case "updated": version.lastModified = try reader.readText().flatMap { Timestamp(rfc3339: $0) }
      default: try reader.skipValue()
      }
    }
    guard let name, !name.isEmpty else {
      problems.append(Problem("an entry of the list has no name"))
      return
    }
    let object = ObjectName(name)
    version.digests.crc32c = digest(.crc32c, hashes.crc32c, of: object)
    version.digests.md5 = digest(.md5, hashes.md5, of: object)
    guard api == .google || Self.isFirebaseName(name) else {
      problems.append(Problem("Firebase's API cannot address this name", name: object, reason: Self.fault(in: name)))
      return
    }
    items.append(Item(name: object, version: version))
  }

  /// What keeps a name from being addressed.
  private static func fault(in name: String) -> ReasonCode {
    name.utf8.first == UInt8(ascii: "/") || name.contains("//") ? .emptyNamePart : .unsafeName
  }

  private mutating func readPrefix(_ reader: inout JSONReader, _ api: StorageAPI) throws(JSONError) {
    let text = try reader.readString()
    let isFolder = text.utf8.last == UInt8(ascii: "/")
    let folder = isFolder ? String(Substring(text.utf8.dropLast())) : text
    guard !text.isEmpty, api == .google || Self.isFirebaseName(folder) else {
      problems.append(
        Problem(
          "Firebase's API cannot address this folder", name: ObjectName(text), reason: Self.fault(in: folder)))
      return
    }
    prefixes.append(ObjectName(isFolder ? text : text + "/"))
  }

  private mutating func digest(_ algorithm: DigestAlgorithm, _ value: String?, of object: ObjectName) -> Digest? {
    guard let value else { return nil }
    let digest = GoogHash.digest(algorithm, value)
    if digest == nil { warnings.append("the \(algorithm.rawValue) of \(object) in the list cannot be read") }
    return digest
  }

  /// Whether Firebase's path rule leaves the name as it is.
  private static func isFirebaseName(_ name: String) -> Bool {
    StoragePath.normalize(name.utf8)?.utf8.elementsEqual(name.utf8) ?? false
  }
}
