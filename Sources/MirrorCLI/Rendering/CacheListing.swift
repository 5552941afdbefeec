// What `mirror cache` prints, for people and for programs.

import MirrorPlan
import StorageCore
import TransferModel

/// The objects of one cache, oldest first, or what went of them.
struct CacheListing {
  private typealias Entry = ObjectCache.Entry

  private let folder: String
  private let now: Timestamp
  /// nil when nothing was to be removed.
  private let removed: [Entry]?
  private let left: [Entry]

  /// - after: what was left when something was to be removed; nil = nothing was.
  init(folder: String, now: Timestamp, before: [ObjectCache.Entry], after: [ObjectCache.Entry]?) {
    self.folder = folder
    self.now = now
    left = after ?? before
    removed = after.map { after in
      let kept = Set(after)
      return before.filter { !kept.contains($0) }
    }
  }

  /// A line for every object, or for every one that went, and a last line with count and bytes.
  var text: String {
    let total = "\(Self.objects(left.count)), \(Self.bytes(left))"
    guard let removed else { return left.map { line($0) }.joined() + total + "\n" }
    return removed.map { "removed " + line($0) }.joined()
      + "\(Self.objects(removed.count)) removed, \(Self.bytes(removed)); \(total) left\n"
  }

  /// One document, `mirror.cache/1`.
  var json: String {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("schema", "mirror.cache/1")
    writer.member("folder", folder)
    writer.member("now", now.rfc3339())
    if let removed {
      writer.member("removed_count", removed.count)
      writer.member("removed_bytes", Self.sum(removed))
      writer.entries("removed", removed)
    }
    writer.member("count", left.count)
    writer.member("bytes", Self.sum(left))
    writer.entries("objects", left)
    writer.endObject()
    writer.newline()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// `1 object`, `9,996 objects`.
  static func objects(_ count: Int) -> String { "\(TerminalText.grouped(count)) \(count == 1 ? "object" : "objects")" }

  /// Bytes and age, each to the right of 10 columns, in front of the key.
  private func line(_ entry: Entry) -> String {
    // A file may say any time at all.
    let stored = min(max(0, entry.storedAt), now.seconds)
    let age = StatusReport.age(.seconds(now.seconds - stored))
    return column(ByteCount(entry.size).description) + column(age) + "  " + TerminalText.escape(entry.key) + "\n"
  }

  private func column(_ text: String) -> String { String(repeating: " ", count: max(1, 10 - text.count)) + text }

  private static func sum(_ entries: [Entry]) -> Int64 { entries.reduce(0) { $0 + $1.size } }
  private static func bytes(_ entries: [Entry]) -> String { ByteCount(sum(entries)).description }
}

extension JSONWriter {
  fileprivate mutating func entries(_ name: StaticString, _ entries: [ObjectCache.Entry]) {
    key(name)
    beginArray()
    for entry in entries {
      beginObject(onOneLine: true)
      member("key", entry.key)
      member("size", entry.size)
      member("generation", entry.generation.map { String($0) })
      member("stored", Timestamp(seconds: entry.storedAt).rfc3339(.seconds))
      endObject()
    }
    endArray()
  }
}
