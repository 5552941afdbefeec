// What `to:` says: a file, or a folder that keeps the object's own name. Lexical only.

package import TransferModel

/// A destination as written, before an object's name completes it.
package enum Destination: Hashable, Sendable {
  case file(RelativePath)
  /// nil = the root itself.
  case folder(RelativePath?)

  /// Reads a destination. `./` in front or between and any number of trailing slashes say nothing of their own: `site/`,
  /// `./site//` are one folder. Everything else that is no plain name is refused, an empty component in the middle too.
  package init(_ text: String) throws(RelativePath.Violation) {
    let slash = UInt8(ascii: "/")
    let bytes = text.utf8
    guard let first = bytes.first else { throw .empty }
    guard first != slash else { throw .absolute }
    guard text.hasByte(UInt8(ascii: ".")) || bytes.last == slash else {
      self = .file(try RelativePath(text))
      return
    }
    let named = bytes.lastIndex { $0 != slash }.map { bytes[...$0] } ?? bytes[...]
    var isFolder = bytes.last == slash
    var plain: [UInt8] = []
    for component in named.split(separator: slash, omittingEmptySubsequences: false) {
      isFolder = component.elementsEqual(".".utf8) || bytes.last == slash
      if component.elementsEqual(".".utf8) { continue }
      if component.isEmpty { throw .emptyComponent }
      if !plain.isEmpty { plain.append(slash) }
      plain += component
    }
    let path = plain.isEmpty ? nil : try RelativePath(String(decoding: plain, as: UTF8.self))
    if isFolder {
      self = .folder(path)
    } else if let path {
      self = .file(path)
    } else {
      throw .empty
    }
  }

  /// The path as written; nil = the root itself.
  package var path: RelativePath? {
    switch self {
    case .file(let path): path
    case .folder(let path): path
    }
  }

  /// The complete path: a folder keeps `name`, which must be one plain component.
  package func completed(with name: String) throws(RelativePath.Violation) -> RelativePath {
    switch self {
    case .file(let path): return path
    case .folder(let folder):
      if name.utf8.contains(UInt8(ascii: "/")) { throw .emptyComponent }
      guard let folder else { return try RelativePath(name) }
      return try RelativePath(folder.text + "/" + name)
    }
  }
}

extension RelativePath.Violation {
  /// What is wrong, to follow "the destination ", and what to do.
  package var explanation: (message: String, hint: String?) {
    switch self {
    case .empty: ("is empty", "write a path below the root")
    case .absolute: ("is absolute", "write a path below the root; the root itself is `root:`")
    case .emptyComponent: ("has an empty component", "write one `/` between two names")
    case .dotComponent: ("has the component `.`", nil)
    case .parentComponent: ("has the component `..`, which would leave the root", "write a path below the root")
    case .nul: ("has a NUL character", nil)
    case .componentTooLong:
      ("has a component of more than \(RelativePath.maximumComponentBytes) bytes", "file systems take no longer name")
    case .pathTooLong: ("is longer than \(RelativePath.maximumPathBytes) bytes", nil)
    case .reserved: ("uses a name that mirror keeps for itself: `.mirror` and `.mirror-…`", nil)
    }
  }
}
