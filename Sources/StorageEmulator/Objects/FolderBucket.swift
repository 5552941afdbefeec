// A folder seen as a bucket: files below it are objects, named by their path. Nothing is ever written there, and nothing
// outside of it is ever read: names are checked lexically and no symbolic link is followed.

import Glibc
import TransferModel

struct FolderBucket: Sendable {
  let path: String
  /// Whether `path` itself may be a symbolic link: the user named it, rather than found it in the served folder.
  let mayBeLink: Bool

  /// What `stat` says about an open file; equal values mean unchanged bytes.
  struct Identity: Hashable {
    var device: UInt
    var inode: UInt
    var size: Int64
    var modified: Timestamp
  }

  var exists: Bool {
    guard let folder = open(folder: path) else { return false }
    close(folder)
    return true
  }

  /// The file of an object; nil when there is none, or when the name cannot be that of a file below the folder.
  func file(_ name: ObjectName) -> (OpenFile, Identity)? {
    let names = Self.parts(of: name.text)
    guard Self.isSafe(names), var folder = open(folder: path) else { return nil }
    defer { close(folder) }
    for part in names.dropLast() {
      let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard next >= 0 else { return nil }
      close(folder)
      folder = next
    }
    let descriptor = openat(folder, names[names.count - 1], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = OpenFile(adopting: descriptor)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    let modified = Timestamp(seconds: Int64(facts.st_mtim.tv_sec), nanoseconds: Int32(facts.st_mtim.tv_nsec))
    let identity = Identity(
      device: UInt(facts.st_dev), inode: UInt(facts.st_ino), size: Int64(facts.st_size), modified: modified)
    return (file, identity)
  }

  /// Names of all files whose path begins with the folder part of `prefix`, unsorted. Names that are not UTF-8 are left
  /// out: no object can have them.
  func names(prefix: String) -> [ObjectName] {
    let start = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(prefix[..<$0]) } ?? ""
    let parts = Self.parts(of: start)
    guard start.isEmpty ? !prefix.hasPrefix("/") : Self.isSafe(parts) else { return [] }
    guard var folder = open(folder: path) else { return [] }
    for part in start.isEmpty ? [] : parts {
      let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      close(folder)
      guard next >= 0 else { return [] }
      folder = next
    }
    var names: [ObjectName] = []
    Self.walk(adopting: folder, below: start.isEmpty ? "" : start + "/", into: &names)
    return names
  }

  private static func parts(of name: String) -> [String] {
    name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// No empty, `.` or `..` part and no NUL: the name stays below the folder it starts in.
  static func isSafe(_ parts: [String]) -> Bool {
    !parts.isEmpty
      && parts.allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
      }
  }

  private func open(folder: String) -> Int32? {
    let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (mayBeLink ? 0 : O_NOFOLLOW))
    return descriptor >= 0 ? descriptor : nil
  }

  private static func walk(adopting descriptor: Int32, below prefix: String, into names: inout [ObjectName]) {
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let part = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let part, part != ".", part != ".." else { continue }
      var kind = Int32(entry.pointee.d_type)
      if kind == Int32(DT_UNKNOWN) {
        var facts = stat()
        guard fstatat(descriptor, part, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
        kind = facts.st_mode & S_IFMT == S_IFDIR ? Int32(DT_DIR) : facts.st_mode & S_IFMT == S_IFREG ? Int32(DT_REG) : 0
      }
      if kind == Int32(DT_REG) {
        names.append(ObjectName(prefix + part))
      } else if kind == Int32(DT_DIR) {
        let child = openat(descriptor, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if child >= 0 { walk(adopting: child, below: prefix + part + "/", into: &names) }
      }
    }
  }
}
