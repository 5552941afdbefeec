// What the services say about one object, read leniently: both leave fields out, and emulators write them differently.

package import TransferModel

/// One object's metadata. A part that is missing or of the wrong type is nil.
package struct ObjectMetadata: Hashable, Sendable {
  package var bucket: String?
  package var name: ObjectName?
  package var generation: Int64?
  package var metageneration: Int64?
  /// The stored length in bytes.
  package var size: Int64?
  package var contentType: String?
  package var contentEncoding: String?
  package var contentDisposition: String?
  package var contentLanguage: String?
  package var cacheControl: String?
  package var storageClass: String?
  /// Of this API's representation; it changes with the metadata, and the media's ETag is another.
  package var etag: String?
  package var timeCreated: Timestamp?
  /// Moves with the metadata too.
  package var updated: Timestamp?
  /// As sent: base64.
  package var md5Hash: String?
  /// As sent: base64, or decimal from the Firebase emulator.
  package var crc32c: String?
  /// Each lets whoever knows it read the object: secrets. In the server's order.
  package var downloadTokens: [String] = []
  /// nil when the answer has none; values that are not texts are left out.
  package var customMetadata: [String: String]?

  /// Nothing known.
  package init() {}

  /// Reads an answer to `ObjectService.metadata`. Throws `unexpectedContent` when the bytes are not one JSON object, with
  /// what came instead, redacted.
  package init(parsing bytes: [UInt8], redactor: Redactor = Redactor()) throws(TransferFailure) {
    do {
      var reader = JSONReader(bytes)
      try reader.beginObject()
      while let key = try reader.nextKey() { try read(key, from: &reader) }
      try reader.finish()
    } catch {
      let text = String(validating: bytes, as: UTF8.self)
      let shown = text == nil ? "<unstringable data>" : redactor.redact(bytes, limit: 2_048)
      throw TransferFailure(
        .unexpectedContent, .permanent, "Invalid data returned from the server: \(shown)",
        hint: "The answer is not the metadata of an object (\(error)); a proxy or a login page may stand in between.",
        serverBody: shown)
    }
  }

  /// What of this ties bytes to one version.
  package var version: ObjectVersion {
    var digests = DigestSet()
    digests.crc32c = crc32c.flatMap { GoogHash.digest(.crc32c, $0) }
    digests.md5 = md5Hash.flatMap { GoogHash.digest(.md5, $0) }
    return ObjectVersion(
      generation: generation, lastModified: updated, size: size, digests: digests,
      contentEncoding: contentEncoding == "identity" ? nil : contentEncoding)
  }

  package var storedEncoding: StoredEncoding { StoredEncoding(contentEncoding: contentEncoding) }

  /// The object's long-lived link with its first token; nil when it has none. What the answer leaves out comes from
  /// `address`.
  package func downloadURL(of address: StorageAddress, at service: ObjectService) -> HTTPURL? {
    guard let token = downloadTokens.first, let object = name ?? address.object else { return nil }
    return service.downloadURL(of: object, in: bucket ?? address.bucket, token: token)
  }
}

extension ObjectMetadata {
  private mutating func read(_ key: String, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "generation": generation = try reader.readCount()
    case "metageneration": metageneration = try reader.readCount()
    case "size": size = try reader.readCount()
    case "timeCreated": timeCreated = try reader.readText().flatMap { Timestamp(rfc3339: $0) }
    case "updated": updated = try reader.readText().flatMap { Timestamp(rfc3339: $0) }
    case "metadata": customMetadata = try Self.customMetadata(reader.readValue())
    case "downloadTokens":
      downloadTokens = try reader.readText().map { $0.split(separator: ",").map { String($0) } } ?? []
    case "name": name = try reader.readText().map { ObjectName($0) }
    default:
      guard let field = Self.texts[key] else { return try reader.skipValue() }
      self[keyPath: field] = try reader.readText()
    }
  }

  private static var texts: [String: WritableKeyPath<ObjectMetadata, String?>] {
    [
      "bucket": \.bucket, "contentType": \.contentType, "contentEncoding": \.contentEncoding,
      "contentDisposition": \.contentDisposition, "contentLanguage": \.contentLanguage,
      "cacheControl": \.cacheControl, "storageClass": \.storageClass, "etag": \.etag, "md5Hash": \.md5Hash,
      "crc32c": \.crc32c,
    ]
  }

  private static func customMetadata(_ value: JSONValue) -> [String: String]? {
    guard let members = value.members else { return nil }
    return members.reduce(into: [:]) { map, member in
      if let text = member.value.string { map[member.key] = text }
    }
  }
}

extension JSONReader {
  /// The next value if it is a text; nil, and the value is skipped, if it is anything else.
  mutating func readText() throws(JSONError) -> String? {
    guard try peek() == .string else {
      try skipValue()
      return nil
    }
    return try readString()
  }

  /// The next value if it is a whole number from 0, as a number or as a decimal text; nil if it is anything else.
  mutating func readCount() throws(JSONError) -> Int64? {
    switch try peek() {
    case .string: return try ASCII.number(readString().utf8)
    case .number: return try readNumber().int64.flatMap { $0 >= 0 ? $0 : nil }
    case .null, .bool, .array, .object:
      try skipValue()
      return nil
    }
  }
}
