// Where the state lies, and how an unusable one is put out of the way.

import Glibc
import TransferModel

/// The state's place below a root.
package struct StateLocation: Hashable, Sendable {
  /// The root's path, or a path through an open descriptor (`/proc/self/fd/7`).
  package var root: String
  /// The file's stem. Runs that share a root and run at the same time (shards) need a name each.
  package var name: String

  package init(root: String, name: String = "state") {
    self.root = root
    self.name = name
  }

  /// The folder that holds all that mirror keeps about a root.
  package var folder: String { root.hasSuffix("/") ? root + ".mirror" : root + "/.mirror" }
  package var file: String { "\(folder)/\(fileName)" }
  var fileName: String { "\(name).db" }

  /// SQLite's companions of the file; they have no meaning without it, nor it without them.
  static let companions = ["-wal", "-shm", "-journal"]

  enum Presence: Hashable {
    case absent
    case file(bytes: Int64)
    /// A folder, a symbolic link, a device: nothing that mirror made.
    case other
  }

  /// What stands at the state's path, or at that of a companion; links are not followed.
  func presence(of suffix: String = "") throws(TransferFailure) -> Presence {
    var status = stat()
    guard lstat(file + suffix, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .absent }
      throw Self.failure("look at the state", file + suffix, errno)
    }
    return status.st_mode & S_IFMT == S_IFREG ? .file(bytes: Int64(status.st_size)) : .other
  }

  /// Makes the folder when it is not there.
  func makeFolder() throws(TransferFailure) {
    if mkdir(folder, 0o777) == 0 { return }
    let number = errno
    var status = stat()
    guard number == EEXIST, lstat(folder, &status) == 0 else {
      throw Self.failure("make the folder for the state", folder, number)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return
    case S_IFLNK: throw Self.failure("use the folder for the state", folder, ELOOP)
    default: throw Self.failure("use the folder for the state", folder, ENOTDIR)
    }
  }

  /// Renames the state and its companions to `<file>.damaged-<n>`, and deletes what was kept of an earlier one: a single
  /// copy stays for those who want to look. Folders are renamed and never deleted.
  /// - Returns: the new path; nil when there was nothing to move.
  func moveAside() throws(TransferFailure) -> String? {
    let earlier = try damagedCopies()
    let number = (earlier.map(\.number).max() ?? 0) + 1
    let target = "\(file).damaged-\(number)"
    // The companions go first: should the power fail between, the file is met again and moved again, and never a new
    // file with an old one's log.
    var isMoved = false
    for suffix in Self.companions + [""] {
      if rename(file + suffix, target + suffix) == 0 {
        isMoved = true
      } else if errno != ENOENT {
        throw Self.failure("move aside the damaged state", file + suffix, errno)
      }
    }
    guard isMoved else { return nil }
    // One that cannot be deleted only takes room.
    for copy in earlier { unlink("\(folder)/\(copy.name)") }
    return target
  }

  /// Files that earlier calls of `moveAside` left.
  private func damagedCopies() throws(TransferFailure) -> [(name: String, number: Int)] {
    let stem = "\(fileName).damaged-"
    return try fileNames().compactMap { name in
      guard name.hasPrefix(stem), let number = Int(name.dropFirst(stem.count).prefix { $0 != "-" }) else { return nil }
      return (name, number)
    }
  }

  /// The names in the folder, in no order; none when it is not there.
  func fileNames() throws(TransferFailure) -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw Self.failure("read the folder of the state", folder, errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  private static func failure(_ operation: String, _ path: String, _ number: Int32) -> TransferFailure {
    TransferFailure(
      SQLiteError.reason(forSystemError: number), .local,
      "cannot \(operation) \(path): \(String(cString: strerror(number)))",
      hint: "Make the root a folder that this user may write to.", errno: number)
  }
}
