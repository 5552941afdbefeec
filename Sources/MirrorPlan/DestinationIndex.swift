// Finds destinations that cannot both be: the same file twice, or a file where another needs a folder.

import TransferModel

/// The destinations seen so far. Each is added once and asked once, so the whole check is linear in their number.
///
/// Only what is certain from the manifest is a clash. A file inside the folder of a tree is none, since the tree may not
/// have that name; if the listing brings it after all, the item wins.
struct DestinationIndex {
  /// Two destinations of which only one can be.
  struct Clash: Hashable {
    enum Kind: Hashable {
      case same
      /// The same but for case, on a file system that does not tell them apart.
      case sameButForCase
      /// The first is a file, and a folder of the second.
      case fileIsFolder
    }
    var kind: Kind
    var first: Int
    var second: Int
  }

  private let foldsCase: Bool
  private var files: NameTable
  private var folders: [Key: Int] = [:]
  private var texts: [String] = []
  private var latestFolder: String?

  init(foldsCase: Bool, expecting count: Int) {
    self.foldsCase = foldsCase
    files = NameTable(expecting: count)
    texts.reserveCapacity(count)
  }

  /// Adds the next file; its number is how many were added before. Returns a clash with an earlier one.
  mutating func add(file path: RelativePath) -> Clash? {
    let number = texts.count
    texts.append(path.text)
    let key = Key(path.text, foldsCase: foldsCase)
    let other = files.number(of: key.hashValue, insert: number) { [texts, foldsCase] in
      key == Key(texts[$0], foldsCase: foldsCase)
    }
    if let other {
      let isSame = texts[other].hasSameBytes(as: path.text)
      return Clash(kind: isSame ? .same : .sameButForCase, first: other, second: number)
    }
    noteFolders(above: path, for: number)
    return nil
  }

  /// Adds the next tree's folder, of which many may be one.
  mutating func add(folder path: RelativePath) {
    let number = texts.count
    texts.append(path.text)
    let key = Key(path.text, foldsCase: foldsCase)
    if folders[key] == nil { folders[key] = number }
    noteFolders(above: path, for: number)
  }

  /// All files that would have to be folders of others, in the order in which the files were added.
  mutating func filesThatAreFolders() -> [Clash] {
    var clashes: [Clash] = []
    for (key, below) in folders {
      let file = files.number(of: key.hashValue) { [texts, foldsCase] in key == Key(texts[$0], foldsCase: foldsCase) }
      if let file { clashes.append(Clash(kind: .fileIsFolder, first: file, second: below)) }
    }
    return clashes.sorted { $0.first < $1.first }
  }

  /// Climbs only until a folder that is known, because then all above it are.
  private mutating func noteFolders(above path: RelativePath, for number: Int) {
    guard path.text.hasByte(UInt8(ascii: "/")), !isInLatestFolder(path.text) else { return }
    var text = path.text[...]
    while let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) {
      let isNearest = text.endIndex == path.text.endIndex
      text = text[..<slash]
      let folder = String(text)
      if isNearest { latestFolder = folder }
      let key = Key(folder, foldsCase: foldsCase)
      if folders[key] != nil { return }
      folders[key] = number
    }
  }
}

extension DestinationIndex {
  /// Whether the path is directly in the folder that was noted last, as that of the next file in a list mostly is.
  private func isInLatestFolder(_ path: String) -> Bool {
    guard let latestFolder else { return false }
    let count = latestFolder.utf8.count
    return path.utf8.withContiguousStorageIfAvailable { bytes in
      latestFolder.utf8.withContiguousStorageIfAvailable { folder in
        bytes.count > count && bytes[count] == UInt8(ascii: "/") && bytes[..<count].elementsEqual(folder)
          && !bytes[(count + 1)...].contains(UInt8(ascii: "/"))
      } ?? false
    } ?? false
  }
}

/// A path as the target's file system tells it from others: by bytes; or, where case is folded, as lower-case characters in
/// any Unicode form.
private struct Key: Hashable {
  private let text: String
  private let foldsCase: Bool

  init(_ text: String, foldsCase: Bool) {
    self.text = foldsCase ? text.lowercased() : text
    self.foldsCase = foldsCase
  }

  static func == (left: Key, right: Key) -> Bool {
    left.foldsCase ? left.text == right.text : left.text.hasSameBytes(as: right.text)
  }

  func hash(into hasher: inout Hasher) {
    guard !foldsCase else {
      hasher.combine(text)
      return
    }
    var copy = text
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
