// Metadata as a dictionary with the service's own keys.

import Foundation
import TransferModel

extension StorageMetadata {
  /// Every field that is known, under its key in the service's JSON: `size` as `Int64`, `generation` and `metageneration`
  /// as text, times as `2016-03-01T20:16:01.673Z`, `metadata` as a dictionary of texts. What is 0 or nil is left out.
  public func dictionaryRepresentation() -> [String: Any] {
    let fields = fields
    var dictionary: [String: Any] = [:]
    let texts: [(String, String?)] = [
      ("bucket", fields.bucket), ("name", fields.name?.text), ("contentType", fields.contentType),
      ("contentEncoding", fields.contentEncoding), ("contentDisposition", fields.contentDisposition),
      ("contentLanguage", fields.contentLanguage), ("cacheControl", fields.cacheControl),
      ("md5Hash", fields.md5Hash), ("crc32c", fields.crc32c), ("etag", fields.etag),
      ("storageClass", fields.storageClass), ("timeCreated", fields.timeCreated?.rfc3339()),
      ("updated", fields.updated?.rfc3339()),
      ("generation", generation == 0 ? nil : String(generation)),
      ("metageneration", metageneration == 0 ? nil : String(metageneration)),
    ]
    for case (let key, let text?) in texts { dictionary[key] = text }
    if size != 0 { dictionary["size"] = size }
    if let custom = fields.customMetadata { dictionary["metadata"] = custom }
    return dictionary
  }
}
