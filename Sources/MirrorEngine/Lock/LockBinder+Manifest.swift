// Whether a lock file is that of a manifest, as far as that can be told without asking anyone.

import MirrorPlan
import TransferModel

extension LockBinder {
  private static let shown = 5

  /// Why nothing is begun: items that are not locked, or locked to something else, and entries that nothing in the
  /// manifest wants. nil when manifest and lock agree. Trees are compared when they are listed.
  func disagreement(with manifest: Manifest) -> TransferFailure? {
    var problems: [String] = []
    var items: Set<RelativePath> = []
    for item in manifest.items {
      items.insert(item.destination)
      guard speaks(for: item.destination) else { continue }
      guard let promise = lock.entry(for: item.destination) else {
        problems.append("\(TerminalText.escape(item.destination.text)) is not locked")
        continue
      }
      do throws(TransferFailure) {
        _ = try Entry(item).bound(to: promise)
      } catch {
        problems.append(error.message)
      }
    }
    if bindsEverything {
      for place in 0..<lock.count {
        guard let promise = lock.entry(at: place), !items.contains(promise.destination) else { continue }
        if Self.entry(for: promise, in: manifest) == nil {
          problems.append(
            "\(TerminalText.escape(promise.destination.text)) is locked, and the manifest wants it no more")
        }
      }
    }
    guard let first = problems.first else { return nil }
    var text = "the lock file is not that of this manifest: \(first)"
    for problem in problems.dropFirst().prefix(Self.shown - 1) { text += "; \(problem)" }
    if problems.count > Self.shown { text += "; and \(problems.count - Self.shown) more" }
    return .drift(text)
  }

  /// The entry of a tree that a locked one is, and the tree's place; nil when no tree wants it.
  static func entry(for promise: LockEntry, in manifest: Manifest) -> (entry: Entry, tree: Int)? {
    for (number, tree) in manifest.trees.enumerated() {
      if let entry = entry(for: promise, of: tree) { return (entry, number) }
    }
    return nil
  }

  private static func entry(for promise: LockEntry, of tree: Tree) -> Entry? {
    entry(at: promise.destination, of: tree).flatMap { entry in
      entry.sourceKey == SourceKey(recorded: promise.source) ? entry : nil
    }
  }

  /// The entry that a tree would have at a destination; nil when it has none there.
  static func entry(at destination: RelativePath, of tree: Tree) -> Entry? {
    let folder = tree.destination.map { $0.text + "/" } ?? ""
    guard destination.text.utf8.starts(with: folder.utf8) else { return nil }
    let relative = String(Substring(destination.text.utf8.dropFirst(folder.utf8.count)))
    guard !relative.isEmpty, TreeFilter(tree).includes(relative) else { return nil }
    let prefix = tree.prefix.object?.text ?? ""
    let separator = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? "" : "/"
    var address = tree.prefix
    address.object = ObjectName(prefix + separator + relative)
    return Entry(
      references: [.storage(address)], destination: destination, settings: tree.settings,
      declaration: .tree(tree.mark))
  }
}
