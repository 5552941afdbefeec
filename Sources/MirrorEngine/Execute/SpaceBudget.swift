// Whether what is about to be fetched fits on the disk, asked before its first byte moves (P26). What happens when the disk
// is full all the same is the executor's.

import LocalFiles
import MirrorPlan
import TransferModel

/// Adds up, batch by batch, what a run is going to write, against the room that there was at its beginning.
///
/// Counted is only what is sure: entries whose size is known, an update by what it adds, an entry with a part file of an
/// earlier run not at all. So it refuses nothing that fits, save on file systems that compress.
final class SpaceBudget: Sendable {
  private struct Sum {
    /// The room at the beginning; nil = not asked yet, or not known.
    var room: FileSystemFacts.Space?
    var isAsked = false
    var bytes: Int64 = 0
    var files: Int64 = 0
  }

  private let facts: FileSystemFacts
  private let knownParts: Set<RelativePath>
  private let sum = Lock(Sum())

  init(_ facts: FileSystemFacts, knownParts: [RelativePath: PartRecord]) {
    self.facts = facts
    self.knownParts = Set(knownParts.keys)
  }

  /// The failure that ends the run when this work, with all before it, cannot fit; nil when it may.
  func refuse(_ work: [PlannedWork]) -> TransferFailure? {
    var bytes: Int64 = 0
    var files: Int64 = 0
    for case .entry(let item) in work {
      guard item.decision.action == .download || item.decision.action == .update else { continue }
      if item.decision.action == .download { files += 1 }
      guard knownParts.isEmpty || !knownParts.contains(item.facts.entry.destination) else { continue }
      bytes = Self.sum(bytes, growth(item))
    }
    return sum.withLock { sum in
      if !sum.isAsked {
        sum.room = try? facts.space()
        sum.isAsked = true
      }
      sum.bytes = Self.sum(sum.bytes, bytes)
      sum.files += files
      guard let room = sum.room else { return nil }
      return Self.failure(bytes: sum.bytes, files: sum.files, free: room.free, freeInodes: room.freeInodes)
    }
  }

  /// How many bytes more the disk will hold when the entry is in place; 0 when nothing tells.
  private func growth(_ item: DecidedEntry) -> Int64 {
    var size = item.facts.entry.size?.bytes
    if case .present(let version) = item.facts.remote, let stored = version.size { size = stored }
    guard let size, item.facts.entry.content == .stored else { return 0 }
    guard case .file(let stamp, _) = item.facts.local else { return size }
    return max(0, size - stamp.size)
  }

  /// Pure: the answer for these sums.
  static func failure(bytes: Int64, files: Int64, free: Int64, freeInodes: Int64?) -> TransferFailure? {
    if bytes > free {
      return TransferFailure(
        .diskFull, .local,
        "the disk has no room for this run: \(ByteCount(bytes)) are needed, \(ByteCount(free)) are free",
        hint: "free some space or choose another root, then run again")
    }
    if let freeInodes, files > freeInodes {
      return TransferFailure(
        .diskFull, .local,
        "the disk has no room for this run: \(files) new files are needed, \(freeInodes) inodes are free",
        hint: "remove files or choose another root, then run again")
    }
    return nil
  }

  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
