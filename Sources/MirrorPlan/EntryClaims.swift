// Which destinations are taken, so that no two entries write one file and none is a file where another needs a folder.

package import TransferModel

/// The destinations of items, and, on a file system that does not tell cases apart, of everything.
///
/// Memory grows with the items; with the trees' objects only when `foldsCase` is on, because there two names may meet
/// that are far apart in a listing.
package struct EntryClaims: Sendable {
  package let foldsCase: Bool
  private var files: Set<PathKey> = []
  private var folders: Set<PathKey> = []
  /// The spelling that was first, by folded name.
  private var folded: [String: FoldedClaim] = [:]

  private struct FoldedClaim {
    var path: PathKey
    var isFolder: Bool
  }

  package init(foldsCase: Bool = false) { self.foldsCase = foldsCase }

  /// Takes an item's destination; returns why it cannot be had, in which case nothing is taken.
  package mutating func claim(item path: RelativePath) -> TransferFailure? {
    if let clash = clash(with: path.text) ?? foldedClash(with: path.text) { return clash }
    files.insert(PathKey(path.text))
    for folder in path.text.folders { folders.insert(PathKey(folder)) }
    if foldsCase { fold(path.text) }
    return nil
  }

  /// Whether an item has exactly that destination.
  package func isItem(_ path: RelativePath) -> Bool { files.contains(PathKey(path.text)) }

  /// Takes the destination of a tree's object, as above; objects of one tree are held against each other by
  /// `EntryInventory`.
  mutating func claim(object path: RelativePath) -> TransferFailure? {
    if let clash = clash(with: path.text) ?? foldedClash(with: path.text) { return clash }
    if foldsCase { fold(path.text) }
    return nil
  }

  private func clash(with path: String) -> TransferFailure? {
    guard !files.isEmpty else { return nil }
    if !folders.isEmpty, folders.contains(PathKey(path)) {
      return .nameConflict("\(TerminalText.escape(path)) is a file here and a folder of an item.")
    }
    for folder in path.folders where files.contains(PathKey(folder)) {
      return .nameConflict(
        "\(TerminalText.escape(path)) needs the folder \(TerminalText.escape(folder)), which is a file of an item.")
    }
    return nil
  }

  // MARK: Case

  private func foldedClash(with path: String) -> TransferFailure? {
    guard foldsCase else { return nil }
    if let other = folded[path.lowercased()], other.isFolder || other.path != PathKey(path) {
      return .caseCollision(path, other.path.text)
    }
    for folder in path.folders {
      if let other = folded[folder.lowercased()], !other.isFolder { return .caseCollision(path, other.path.text) }
    }
    return nil
  }

  private mutating func fold(_ path: String) {
    folded[path.lowercased()] = FoldedClaim(path: PathKey(path), isFolder: false)
    for folder in path.folders where folded[folder.lowercased()] == nil {
      folded[folder.lowercased()] = FoldedClaim(path: PathKey(folder), isFolder: true)
    }
  }
}

/// A path compared by its bytes.
private struct PathKey: ByteOrdered, Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

extension String {
  /// `a`, `a/b` for `a/b/c`.
  fileprivate var folders: [String] {
    guard hasByte(UInt8(ascii: "/")) else { return [] }
    return utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }.map { String(self[..<$0]) }
  }
}

extension TransferFailure {
  static func nameConflict(_ message: String) -> TransferFailure {
    TransferFailure(.nameConflict, .permanent, message, hint: "Rename one of them, or exclude one.")
  }

  fileprivate static func caseCollision(_ path: String, _ other: String) -> TransferFailure {
    TransferFailure(
      .caseCollision, .permanent,
      "\(TerminalText.escape(path)) and \(TerminalText.escape(other)) are one name on this file system.",
      hint: "Write to a file system that tells cases apart, or exclude one.")
  }
}
