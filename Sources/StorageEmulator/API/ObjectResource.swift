// An object as JSON, in Firebase's and in Google's spelling.

import TransferModel

enum ObjectResource {
  static func firebase(_ object: StoredObject, quirks: Quirks) -> JSONValue {
    let digests = object.digests()
    var members: [(String, JSONValue)] = [
      ("name", .string(object.name.text)), ("bucket", .string(object.bucket)),
      ("generation", .string(String(quirks.generation(object.generation)))),
      ("metageneration", .string(String(object.metageneration))),
      ("contentType", .string(object.metadata.servedType(for: object.name.text))),
      ("timeCreated", .string(object.created.rfc3339())),
      ("updated", .string(object.updated.rfc3339())),
      ("storageClass", .string("STANDARD")), ("size", .string(String(object.size))),
    ]
    if let md5 = md5(digests, object) { members.append(("md5Hash", .string(md5))) }
    let metadata = object.metadata
    members.append(("contentEncoding", .string(metadata.contentEncoding ?? "identity")))
    let last = object.name.text.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    let disposition = metadata.contentDisposition ?? "inline; filename*=utf-8''" + PercentEncoding.encode(last)
    members.append(("contentDisposition", .string(disposition)))
    append("contentLanguage", metadata.contentLanguage, to: &members)
    append("cacheControl", metadata.cacheControl, to: &members)
    if let crc32c = digests.crc32c {
      members.append(("crc32c", .string(quirks.crc32c(crc32c))))
    }
    members.append(("etag", .string(object.etag)))
    if !metadata.downloadTokens.isEmpty {
      members.append(("downloadTokens", .string(metadata.downloadTokens.joined(separator: ","))))
    }
    if !metadata.custom.isEmpty { members.append(("metadata", custom(metadata.custom))) }
    return .pairs(members)
  }

  /// Only the members that the mask wants; a file is not read when no hash is wanted.
  static func google(_ object: StoredObject, host: String, mask: FieldsMask = FieldsMask()) -> JSONValue {
    let path = "/b/\(PercentEncoding.encode(object.bucket))/o/\(PercentEncoding.encode(object.name.text))"
    let generation = String(object.generation)
    var members: [(String, JSONValue)] = [
      ("kind", .string("storage#object")), ("id", .string("\(object.bucket)/\(object.name.text)/\(generation)")),
      ("selfLink", .string("http://\(host)/storage/v1\(path)")),
      ("mediaLink", .string("http://\(host)/download/storage/v1\(path)?generation=\(generation)&alt=media")),
      ("name", .string(object.name.text)), ("bucket", .string(object.bucket)), ("generation", .string(generation)),
      ("metageneration", .string(String(object.metageneration))),
      ("contentType", .string(object.metadata.servedType(for: object.name.text))),
      ("storageClass", .string("STANDARD")), ("size", .string(String(object.size))),
    ]
    if mask["md5Hash"] != nil || mask["crc32c"] != nil {
      let digests = object.digests()
      append("md5Hash", md5(digests, object), to: &members)
      append("crc32c", digests.crc32c.map { Base64.encode($0.bytes) }, to: &members)
    }
    let metadata = object.metadata
    append("contentEncoding", metadata.contentEncoding, to: &members)
    append("contentDisposition", metadata.contentDisposition, to: &members)
    append("contentLanguage", metadata.contentLanguage, to: &members)
    append("cacheControl", metadata.cacheControl, to: &members)
    if let count = metadata.componentCount { members.append(("componentCount", .integer(count))) }
    members += [
      ("etag", .string(object.etag)), ("timeCreated", .string(object.created.rfc3339())),
      ("updated", .string(object.updated.rfc3339())),
    ]
    if !metadata.custom.isEmpty { members.append(("metadata", custom(metadata.custom))) }
    return mask.applied(to: .pairs(members))
  }

  /// Composite objects have no md5.
  static func md5(_ digests: DigestSet, _ object: StoredObject) -> String? {
    object.metadata.componentCount == nil ? digests.md5.map { Base64.encode($0.bytes) } : nil
  }

  private static func append(_ key: String, _ value: String?, to members: inout [(String, JSONValue)]) {
    if let value { members.append((key, .string(value))) }
  }

  private static func custom(_ pairs: [String: String]) -> JSONValue {
    .pairs(pairs.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }
}
