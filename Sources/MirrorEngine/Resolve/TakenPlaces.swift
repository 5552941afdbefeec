// Objects whose places are taken by files that the same tree no longer has: `a` became `a/b`, or the other way round. They wait
// until those files are deleted, so that one run is enough.

import MirrorPlan
import TransferModel

/// The entries of one tree that wait for their places.
final class TakenPlaces: Sendable {
  /// More do not wait; they fail in this run and come in the next. Memory must not grow with the listing.
  private static let capacity = 20_000
  /// A folder with more files in it is not looked through.
  private static let filesLookedAt = 20_000

  private let isOn: Bool
  private let waiting = Lock<[PlannedWork]>([])

  /// - Parameter isOn: whether the tree deletes anything at all.
  init(isOn: Bool) { self.isOn = isOn }

  /// The work without what waits from now on.
  func putAside(_ work: [PlannedWork]) -> [PlannedWork] {
    guard isOn, work.contains(where: Self.isBlocked) else { return work }
    return waiting.withLock { waiting in
      work.filter { item in
        guard Self.isBlocked(item), waiting.count < Self.capacity else { return true }
        waiting.append(item)
        return false
      }
    }
  }

  /// Hands over what waits, in the order in which it came.
  func takeAll() -> [PlannedWork] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Which of those that wait have their places free once files are deleted, by their numbers.
  ///
  /// - Parameters:
  ///   - willGo: whether a file is about to be deleted.
  ///   - files: the files below a folder; nil when that cannot be said.
  func vacated(
    _ willGo: (RelativePath) throws(TransferFailure) -> Bool, files: (RelativePath, Int) -> [RelativePath]?
  ) throws(TransferFailure) -> Set<Int> {
    var free: Set<Int> = []
    // Many objects may wait for one file.
    var known: [String: Bool] = [:]
    for (number, item) in waiting.withLock({ $0 }).enumerated() {
      guard let facts = item.facts else { continue }
      let destination = facts.entry.destination
      if facts.local == .directory {
        guard let content = files(destination, Self.filesLookedAt) else { continue }
        var isFree = true
        for file in content where isFree { isFree = try willGo(file) }
        if isFree { free.insert(number) }
      } else {
        for folder in Self.folders(of: destination) {
          let goes: Bool
          if let answer = known[folder.text] {
            goes = answer
          } else {
            goes = try willGo(folder)
            known[folder.text] = goes
          }
          if goes { free.insert(number) }
        }
      }
    }
    return free
  }

  /// Whether a file stands where the entry needs a folder, or the other way round.
  private static func isBlocked(_ work: PlannedWork) -> Bool {
    guard case .entry(let entry) = work, let failure = entry.decision.failure else { return false }
    return failure.reason == .notADirectory || (failure.reason == .isADirectory && entry.facts.local == .directory)
  }

  /// `a`, `a/b` for `a/b/c`.
  private static func folders(of path: RelativePath) -> [RelativePath] {
    let text = path.text
    return text.utf8.indices.filter { text.utf8[$0] == UInt8(ascii: "/") }.compactMap {
      try? RelativePath(String(text[..<$0]))
    }
  }
}

extension PlannedWork {
  /// What an entry was decided from; nil for what is none.
  var facts: EntryFacts? {
    guard case .entry(let entry) = self else { return nil }
    return entry.facts
  }
}
