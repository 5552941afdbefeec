// Which files mirror put where they are, as the model has learnt it from what runs said and what was there afterwards.

import MirrorPlan
import TestSupport

/// Whose files are whose. What is not in here is the user's.
struct ModelBooks {
  struct File {
    /// As mirror left it.
    var entry: TreeEntry
    /// The tree that it was written for; nil = an item.
    var owner: String?
    /// Whether the state must know it: no run was cut short and no state was lost since.
    var isCertain: Bool
  }

  private(set) var files: [String: File] = [:]
  /// Every form in which mirror ever left a file: what an older state may know of it.
  private var forms: [String: [TreeEntry]] = [:]

  /// The state is gone: nothing is known to be mirror's, until a copy of the state comes back.
  mutating func lost(forGood: Bool) {
    files = [:]
    if forGood { forms = [:] }
  }

  /// It is not known any more what the state knows.
  mutating func doubt() {
    for path in files.keys { files[path]?.isCertain = false }
  }

  /// Whether mirror may delete what stands there: it is as mirror left it once.
  func mayDelete(_ entry: TreeEntry) -> Bool {
    forms[entry.path]?.contains { Self.isSame($0, entry) } ?? false
  }

  /// Whether mirror may have made the folder: it has had a file below it.
  func hadFile(below folder: String) -> Bool { forms.keys.contains { $0.hasPrefix(folder + "/") } }

  /// Whether the state must say that the file is as mirror left it.
  func isKnown(_ entry: TreeEntry?) -> Bool {
    guard let entry, let file = files[entry.path] else { return false }
    return file.isCertain && Self.isSame(file.entry, entry)
  }

  /// What the state goes by: bytes, time and inode.
  private static func isSame(_ one: TreeEntry, _ other: TreeEntry) -> Bool {
    one.kind == other.kind && one.inode == other.inode && one.modified == other.modified
  }

  // MARK: After a run

  mutating func wrote(_ entry: TreeEntry, for owner: String?) {
    files[entry.path] = File(entry: entry, owner: owner, isCertain: true)
    forms[entry.path, default: []].append(entry)
  }

  /// Found to be right, and recorded as it is now; whose it is depends on whose it was.
  mutating func confirmed(_ entry: TreeEntry, for owner: String?) {
    guard let file = files[entry.path] else { return }
    files[entry.path] = File(
      entry: entry, owner: file.owner == nil ? nil : owner, isCertain: file.isCertain)
    forms[entry.path, default: []].append(entry)
  }

  /// Written by a run that nobody could ask afterwards.
  mutating func mayHaveWritten(_ entry: TreeEntry) {
    files[entry.path] = File(entry: entry, owner: nil, isCertain: false)
    forms[entry.path, default: []].append(entry)
  }

  mutating func gone(_ path: String) { files[path] = nil }
}
