// How a plan's work divides over shards, for `mirror plan --shards`; folded row by row.

import TransferModel

/// What each of N shards would look at and fetch. What is deleted is left out: `mirror finalize` does that.
package struct ShardTotals: Hashable, Sendable {
  private struct Part: Hashable {
    var entries = 0
    var transfers = 0
    /// Known bytes of what is fetched.
    var bytes: Int64 = 0

    mutating func add(_ other: Part) {
      entries += other.entries
      transfers += other.transfers
      bytes = bytes.addingSaturated(other.bytes)
    }
  }

  private var parts: [Part]

  /// - count: from 1 to `Shard.most`.
  package init(count: Int) { parts = Array(repeating: Part(), count: count) }

  package mutating func add(_ row: PlannedEntry) {
    let isFetched = row.action == .download || row.action == .update
    guard row.action != .delete else { return }
    let part = Part(entries: 1, transfers: isFetched ? 1 : 0, bytes: isFetched ? row.size?.bytes ?? 0 : 0)
    parts[Shard.index(of: row.destination.utf8, among: parts.count) - 1].add(part)
  }

  private var all: Part { parts.reduce(into: Part()) { $0.add($1) } }

  /// A line for each shard, and one for all of them.
  package var text: String {
    let lines = parts.enumerated().map { "\($0.offset + 1)/\(parts.count): \(Self.words($0.element))\n" }
    return lines.joined() + "all: \(Self.words(all))\n"
  }

  private static func words(_ part: Part) -> String {
    "\(TerminalText.grouped(part.entries)) \(part.entries == 1 ? "entry" : "entries"), "
      + "\(TerminalText.grouped(part.transfers)) to fetch, \(ByteCount(part.bytes))"
  }

  /// One document, `mirror.shards/1`.
  package var json: [UInt8] {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("schema", "mirror.shards/1")
    writer.key("shards")
    writer.beginArray()
    for (place, part) in parts.enumerated() {
      writer.beginObject(onOneLine: true)
      writer.member("shard", "\(place + 1)/\(parts.count)")
      Self.write(part, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("all")
    writer.beginObject(onOneLine: true)
    Self.write(all, to: &writer)
    writer.endObject()
    writer.endObject()
    writer.newline()
    return writer.bytes
  }

  private static func write(_ part: Part, to writer: inout JSONWriter) {
    writer.member("entries", part.entries)
    writer.member("to_fetch", part.transfers)
    writer.member("bytes", part.bytes)
  }
}
