// What a server says of a plain URL, for people and for programs. An object's metadata is `MetadataText`.

import MirrorPlan
import TransferModel

/// Renders one answer. The URL is shown without what is secret in it.
struct VersionText {
  private let version: ObjectVersion
  private let url: HTTPURL

  init(_ version: ObjectVersion, of url: HTTPURL) {
    self.version = version
    self.url = url
  }

  /// What is known beside the size, in the order in which it is shown.
  private var texts: [(key: String, value: String)] {
    let all: [(String, String?)] = [
      ("contentEncoding", version.contentEncoding), ("generation", version.generation.map { String($0) }),
      ("lastModified", version.lastModified?.rfc3339(.seconds)), ("etag", version.etag),
    ]
    return all.compactMap { key, value in value.map { (key, $0) } }
      + version.digests.all.map { ($0.algorithm.rawValue, $0.hex) }
  }

  var lines: String {
    let rows = (version.size.map { [("size", "\($0) (\(ByteCount($0)))")] } ?? []) + texts
    let width = rows.map(\.0.count).max() ?? 0
    let body = rows.map { key, value in
      "  \(key)\(String(repeating: " ", count: width - key.count + 2))\(TerminalText.escape(value))\n"
    }
    return TerminalText.escape(url.description) + "\n" + body.joined()
  }

  /// One JSON object; `size` is a number.
  var json: String {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("url", url.description)
    writer.member("size", version.size)
    for (key, value) in texts {
      writer.key(named: key)
      writer.string(value)
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}
