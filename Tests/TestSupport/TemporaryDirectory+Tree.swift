// What is in a test's folder, to compare before with after.

import Glibc

/// One thing in a folder, with all that must stay the same when "nothing changes".
package struct TreeEntry: Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    case file([UInt8])
    case folder
    case link(String)
    case other

    /// Bytes at once: one by one they are most of the time of a test that looks at megabytes.
    package static func == (left: Kind, right: Kind) -> Bool {
      switch (left, right) {
      case (.file(let one), .file(let other)): one.count == other.count && memcmp(one, other, one.count) == 0
      case (.link(let one), .link(let other)): one == other
      case (.folder, .folder), (.other, .other): true
      default: false
      }
    }
  }

  /// From the folder down, without a slash at either end.
  package var path: String
  package var kind: Kind
  package var inode: UInt64
  /// Nanoseconds since 1970.
  package var modified: Int64
  /// The permission bits.
  package var mode: UInt16

  package var description: String {
    let what =
      switch kind {
      case .file(let bytes): "\(bytes.count) bytes"
      case .folder: "folder"
      case .link(let target): "-> \(target)"
      case .other: "other"
      }
    return "\(path) (\(what), inode \(inode), modified \(modified), mode \(String(mode, radix: 8)))"
  }
}

extension TemporaryDirectory {
  /// All that is below the folder, or below one in it, in byte order of the paths; links are not followed.
  package func tree(below start: String = "") throws -> [TreeEntry] {
    var entries: [TreeEntry] = []
    var folders = [start]
    while let folder = folders.popLast() {
      for name in Self.names(in: path(folder)) {
        let entry = try entry(folder.isEmpty ? name : "\(folder)/\(name)")
        if entry.kind == .folder { folders.append(entry.path) }
        entries.append(entry)
      }
    }
    return entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// The content of every regular file by its path. Swift's dictionary takes canonically equal names for one; where that
  /// matters, use `tree`.
  package func files(below start: String = "") throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for entry in try tree(below: start) {
      if case .file(let bytes) = entry.kind { files[entry.path] = bytes }
    }
    return files
  }

  /// One thing in the folder.
  package func entry(_ relative: String) throws -> TreeEntry {
    var status = stat()
    guard lstat(path(relative), &status) == 0 else { throw SystemError("stat \(relative)") }
    let kind: TreeEntry.Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file(try read(relative))
      case S_IFDIR: .folder
      case S_IFLNK: .link(try linkTarget(relative))
      default: .other
      }
    return TreeEntry(
      path: relative, kind: kind, inode: UInt64(status.st_ino),
      modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
      mode: UInt16(truncatingIfNeeded: status.st_mode & 0o7777))
  }

  private func linkTarget(_ relative: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path(relative), &buffer, buffer.count)
    guard count >= 0 else { throw SystemError("read the link \(relative)") }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
