// Which names of a tree are wanted.

import MirrorPlan

/// `include:` and `exclude:` of one tree; names are relative to the prefix.
struct TreeFilter: Sendable {
  private let include: [Glob]
  private let exclude: [Glob]

  init(_ tree: Tree) {
    include = tree.include
    exclude = tree.exclude
  }

  /// No `include` means everything; `exclude` wins.
  func includes(_ name: String) -> Bool {
    guard include.isEmpty || include.contains(where: { $0.matches(name) }) else { return false }
    return !exclude.contains { $0.matches(name) }
  }
}
