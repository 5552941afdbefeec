// Brings the names of one directory tree into another without copying what they hold: each file gets one more name. Which
// names are wanted is the caller's decision. What a generation of a tree is, is `GenerationStore`.

import Glibc
import TransferModel

/// Links files of one tree into another on the same file system. Follows no link; names that mirror keeps for itself are
/// left out. Writes nothing in proportion to the bytes of the files, save where a file cannot have one more name.
struct LinkedTree {
  /// What is to become of a name of the source tree.
  enum Wish {
    case add
    case replace
    case leave
  }

  /// Told the path, what stands there in the source, and what in the target (nil = nothing); not asked for directories.
  let wish: (_ path: [UInt8], FileStatus, FileStatus?) throws(TransferFailure) -> Wish
  /// Whether directories are made that have nothing to be put into them.
  let makesEmptyDirectories: Bool

  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// A directory of the target that is made when something is put into it.
  private final class Target {
    let parent: Target?
    let name: [CChar]
    let mode: UInt16
    private var opened: Directory?

    init(_ directory: Directory) {
      (parent, name, mode, opened) = (nil, [], 0, directory)
    }

    init(_ name: UnsafePointer<CChar>, in parent: Target, mode: UInt16) {
      self.parent = parent
      self.name = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
      self.mode = mode
    }

    /// nil when it is not there, or is no directory.
    func existing() throws(SystemError) -> Directory? {
      if let opened { return opened }
      guard let above = try parent?.existing() else { return nil }
      do {
        opened = try LinkedTree.open(name, in: above)
      } catch {
        if ![ENOENT, ENOTDIR, ELOOP].contains(error.errno) { throw error }
      }
      return opened
    }

    func made() throws(SystemError) -> Directory {
      if let known = try existing() { return known }
      guard let above = try parent?.made() else { throw SystemError(errno: ENOENT, operation: "make directory") }
      // Open to its owner until it is full; its own mode comes then.
      try SystemCall.makeDirectory(at: above.number, name, mode: mode_t(mode) | 0o700)
      let directory = try LinkedTree.open(name, in: above)
      opened = directory
      return directory
    }
  }

  /// Brings in everything below `source` that is wanted. Frees its buffer, so it is called once.
  func bring(_ source: Directory, into target: Directory) throws(TransferFailure) {
    defer { buffer.deallocate() }
    try bring(source, [], into: Target(target))
  }

  private func bring(_ source: Directory, _ prefix: [UInt8], into target: Target) throws(TransferFailure) {
    let place = String(decoding: prefix, as: UTF8.self)
    let listing: DirectoryListing
    do throws(SystemError) {
      let readable = try SystemCall.open(at: source.number, ".", O_RDONLY | O_DIRECTORY)
      listing = try DirectoryListing(reading: readable.rawValue, buffer: buffer)
    } catch {
      throw error.at(place.isEmpty ? source.path : place).failure
    }
    for item in listing.items {
      let name = listing.name(of: item)
      guard !DirectoryWalk.isReserved(name) else { continue }
      let path = prefix + name
      let result = listing.withName(of: item) { pointer in
        Result { () throws(TransferFailure) in
          item.kind == .directory
            ? try descend(pointer, source, path, target) : try put(pointer, source, path, target)
        }
      }
      try result.get()
    }
  }

  private func descend(
    _ name: UnsafePointer<CChar>, _ source: Directory, _ path: [UInt8], _ target: Target
  ) throws(TransferFailure) {
    let below: Directory
    let inner: Target
    do throws(SystemError) {
      below = try Self.open(name, in: source)
      let mode = try SystemCall.status(at: source.number, name).mode
      inner = Target(name, in: target, mode: mode)
      if makesEmptyDirectories { _ = try inner.made() }
    } catch {
      if error.errno == ENOENT { return }
      throw error.at(String(decoding: path, as: UTF8.self)).failure
    }
    try bring(below, path + [UInt8(ascii: "/")], into: inner)
    guard makesEmptyDirectories else { return }
    do throws(SystemError) {
      let readable = try SystemCall.open(at: try inner.made().number, ".", O_RDONLY | O_DIRECTORY)
      try SystemCall.setMode(readable.rawValue, inner.mode)
    } catch {
      throw error.at(String(decoding: path, as: UTF8.self)).failure
    }
  }

  private func put(
    _ name: UnsafePointer<CChar>, _ source: Directory, _ path: [UInt8], _ target: Target
  ) throws(TransferFailure) {
    do throws(SystemError) {
      let status = try SystemCall.status(at: source.number, name)
      let standing = try target.existing().flatMap { directory in try? SystemCall.status(at: directory.number, name) }
      let answer: Result<Wish, TransferFailure>
      do { answer = .success(try wish(path, status, standing)) } catch { answer = .failure(error) }
      switch answer {
      case .failure(let failure): throw SystemError(errno: failure.errno ?? EIO, operation: "look at")
      case .success(.leave): return
      case .success(.add): try Self.give(name, source, status, in: try target.made(), name)
      case .success(.replace):
        let directory = try target.made()
        let temporary = TemporaryName.unique()
        try Self.give(name, source, status, in: directory, temporary)
        try SystemCall.rename(at: directory.number, temporary, to: directory.number, name)
      }
    } catch {
      if error.errno == ENOENT { return }
      throw error.at(String(decoding: path, as: UTF8.self)).failure
    }
  }

  /// One more name; a copy where the kernel gives none: a file of someone else's (fs.protected_hardlinks), or one that has
  /// as many as it can.
  private static func give(
    _ name: UnsafePointer<CChar>, _ source: Directory, _ status: FileStatus, in target: Directory,
    _ newName: UnsafePointer<CChar>
  ) throws(SystemError) {
    do {
      try SystemCall.link(at: source.number, name, to: target.number, newName)
    } catch {
      guard status.kind == .file, [EPERM, EMLINK, EOPNOTSUPP].contains(error.errno) else { throw error }
      try copy(name, source, in: target, newName)
    }
  }

  /// A file of its own with the same bytes, mode and time.
  static func copy(
    _ name: UnsafePointer<CChar>, _ source: Directory, in target: Directory, _ newName: UnsafePointer<CChar>
  ) throws(SystemError) {
    let from = try SystemCall.open(at: source.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let status = try SystemCall.status(of: from.rawValue)
    let to = try SystemCall.open(at: target.number, newName, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    do {
      try SystemCall.copy(from.rawValue, to: to.rawValue)
      try SystemCall.setMode(to.rawValue, status.mode)
      let seconds = status.stamp.modified.flooredSeconds
      try SystemCall.setModified(
        to.rawValue, seconds: seconds, nanoseconds: Int32(status.stamp.modified - seconds * 1_000_000_000))
    } catch {
      try? SystemCall.unlink(at: target.number, newName)
      throw error
    }
  }

  fileprivate static func open(_ name: UnsafePointer<CChar>, in parent: Directory) throws(SystemError) -> Directory {
    Directory(path: "", descriptor: try SystemCall.open(at: parent.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  }
}

extension Int64 {
  /// Nanoseconds as whole seconds, rounded down.
  var flooredSeconds: Int64 { self >= 0 ? self / 1_000_000_000 : (self - 999_999_999) / 1_000_000_000 }
}
