// One line of `mirror ls`, for people and for programs.

import MirrorPlan
import StorageCore
import TransferModel

/// Renders the entries of one list.
struct ListLine {
  let bucket: String
  let isLong: Bool
  let writesJSON: Bool

  func folder(_ name: ObjectName) -> String {
    guard !writesJSON else { return json("folder", name, ObjectVersion()) }
    return (isLong ? columns("", "") : "") + shown(name)
  }

  func object(_ item: ObjectListPage.Item) -> String {
    guard !writesJSON else { return json("object", item.name, item.version) }
    let version = item.version
    let facts = columns(
      version.size.map { String($0) } ?? "?", version.lastModified?.rfc3339(.seconds) ?? "?")
    return (isLong ? facts : "") + shown(item.name)
  }

  private func shown(_ name: ObjectName) -> String { TerminalText.escape("gs://\(bucket)/\(name)") + "\n" }

  /// Bytes to the right of 14 columns, the time, in front of the name.
  private func columns(_ size: String, _ time: String) -> String {
    padding(14 - size.count) + size + "  " + time + padding(20 - time.count) + "  "
  }

  private func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  private func json(_ kind: String, _ name: ObjectName, _ version: ObjectVersion) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("kind", kind)
    writer.member("bucket", bucket)
    writer.member("name", name.text)
    writer.member("size", version.size)
    writer.member("generation", version.generation.map { String($0) })
    writer.member("updated", version.lastModified?.rfc3339())
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}
