// An object's metadata for people and for programs.

import MirrorPlan
import StorageCore
import TransferModel

/// Renders one answer. Download tokens are left out: they are secrets, and `mirror url` is for them.
struct MetadataText {
  private let metadata: ObjectMetadata
  private let address: StorageAddress

  /// - Parameter address: what was asked for, for what the answer leaves out.
  init(_ metadata: ObjectMetadata, of address: StorageAddress) {
    self.metadata = metadata
    self.address = address
  }

  private var bucket: String { metadata.bucket ?? address.bucket }
  private var name: String { metadata.name?.text ?? address.object?.text ?? "" }

  /// What is known, in the order in which it is shown; keys as in the services' JSON.
  private var texts: [(key: String, value: String)] {
    let all: [(String, String?)] = [
      ("contentType", metadata.contentType), ("contentEncoding", metadata.contentEncoding),
      ("contentDisposition", metadata.contentDisposition), ("contentLanguage", metadata.contentLanguage),
      ("cacheControl", metadata.cacheControl), ("storageClass", metadata.storageClass),
      ("generation", metadata.generation.map { String($0) }),
      ("metageneration", metadata.metageneration.map { String($0) }),
      ("timeCreated", metadata.timeCreated?.rfc3339()), ("updated", metadata.updated?.rfc3339()),
      ("md5Hash", metadata.md5Hash), ("crc32c", metadata.crc32c), ("etag", metadata.etag),
    ]
    return all.compactMap { key, value in value.map { (key, $0) } }
  }

  private var custom: [(key: String, value: String)] {
    (metadata.customMetadata ?? [:]).map { (key: $0.key, value: $0.value) }.sorted {
      ObjectName($0.key) < ObjectName($1.key)
    }
  }

  /// The reference, then a line for each thing known; names and values escaped for a terminal.
  var lines: String {
    var rows: [(key: String, value: String)] = []
    if let size = metadata.size { rows.append(("size", "\(size) (\(ByteCount(size)))")) }
    rows += texts
    rows += custom.map { ("metadata." + TerminalText.escape($0.key), $0.value) }
    let width = rows.map(\.key.count).max() ?? 0
    let body = rows.map { row in
      "  \(row.key)\(String(repeating: " ", count: width - row.key.count + 2))\(TerminalText.escape(row.value))\n"
    }
    return TerminalText.escape("gs://\(bucket)/\(name)") + "\n" + body.joined()
  }

  /// One JSON object, keys as in the services' JSON, `size` as a number.
  var json: String {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("bucket", bucket)
    writer.member("name", name)
    writer.member("size", metadata.size)
    for (key, value) in texts {
      writer.key(named: key)
      writer.string(value)
    }
    if metadata.customMetadata != nil {
      writer.key("metadata")
      writer.beginObject()
      for (key, value) in custom {
        writer.key(named: key)
        writer.string(value)
      }
      writer.endObject()
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}
