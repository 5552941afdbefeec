// What is on the disk below a root, as a sorted stream to be merged with a listing of the bucket.
// One name at a time, without a walk, is `DirectoryCache.survey`.

import Glibc
package import TransferModel

/// Walks a tree in the byte order of full relative paths, one entry at a time. Never follows a link. Memory grows with
/// the depth times the size of one directory. Used on one thread.
///
/// A directory comes directly before its content, in the place that `name/` has (so after `name.txt`). Names that
/// mirror keeps for itself (`.mirror`, `.mirror-…`) are left out. The tree may change meanwhile: what vanished is left
/// out.
package final class DirectoryWalk: IteratorProtocol {
  package struct Entry: Sendable {
    /// The path below the root as the disk has it; not always UTF-8.
    package var bytes: [UInt8]
    package var status: FileStatus

    /// The path as text; nil when it is not UTF-8, so no object can have this name.
    package var text: String? { String(validating: bytes, as: UTF8.self) }
    /// The path as a destination; nil when none can have this name.
    package var path: RelativePath? { text.flatMap { try? RelativePath($0) } }
    /// The path for messages: bytes that are no UTF-8 show as U+FFFD.
    package var display: String { String(decoding: bytes, as: UTF8.self) }
  }

  package enum Step: Sendable {
    case entry(Entry)
    /// What is below this path could not be read; the walk goes on after it.
    case unreadable(path: String, TransferFailure)
  }

  /// One directory whose entries are being given out.
  private struct Level {
    let directory: Directory
    let prefix: [UInt8]
    let listing: DirectoryListing
    var next = 0
  }

  private var levels: [Level] = []
  /// A directory that was given out and not yet entered, so that `skipContent` can still pass it by.
  private var pending: (level: Int, item: DirectoryListing.Item, path: [UInt8])?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// - below: the directory to begin in; nil = the root. A directory that is missing is an empty walk.
  ///
  /// Throws where that directory cannot be read.
  package init(_ root: RootDirectory, below path: RelativePath? = nil) throws(TransferFailure) {
    do {
      let start = try root.openDirectory(path?.text ?? "")
      let prefix = path.map { Array($0.text.utf8) + [UInt8(ascii: "/")] } ?? []
      levels = [try Self.read(start, prefix, buffer)]
    } catch {
      if error.errno != ENOENT { throw error.at(path?.text ?? root.path).failure }
    }
  }

  deinit { buffer.deallocate() }

  private static func read(
    _ directory: Directory, _ prefix: [UInt8], _ buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Level {
    let readable = try SystemCall.open(at: directory.number, ".", O_RDONLY | O_DIRECTORY)
    let listing = try DirectoryListing(reading: readable.rawValue, buffer: buffer)
    return Level(directory: directory, prefix: prefix, listing: listing)
  }

  /// Passes by what is below the directory that was given out last.
  package func skipContent() { pending = nil }

  /// The next step; nil at the end.
  package func next() -> Step? {
    if let failed = enterPending() { return failed }
    while let index = levels.indices.last {
      let level = levels[index]
      guard level.next < level.listing.items.count else {
        levels.removeLast()
        continue
      }
      levels[index].next += 1
      let item = level.listing.items[level.next]
      let name = level.listing.name(of: item)
      guard !Self.isReserved(name) else { continue }
      let path = level.prefix + name
      let found = level.listing.withName(of: item) { pointer in
        Result { () throws(SystemError) in try SystemCall.status(at: level.directory.number, pointer) }
      }
      switch found {
      case .success(let status):
        if status.kind == .directory { pending = (index, item, path) }
        return .entry(Entry(bytes: path, status: status))
      case .failure(let error):
        if error.errno != ENOENT { return Self.unreadable(path, error) }
      }
    }
    return nil
  }

  private func enterPending() -> Step? {
    guard let (index, item, path) = pending else { return nil }
    pending = nil
    let parent = levels[index]
    let opened = parent.listing.withName(of: item) { pointer in
      Result { () throws(SystemError) in
        try SystemCall.open(at: parent.directory.number, pointer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).asDirectory()
      }
    }
    do throws(SystemError) {
      let directory = try opened.get()
      let listing = try DirectoryListing(reading: directory.number, buffer: buffer)
      levels.append(Level(directory: directory, prefix: path + [UInt8(ascii: "/")], listing: listing))
      return nil
    } catch {
      return error.errno == ENOENT ? nil : Self.unreadable(path, error)
    }
  }

  private static func unreadable(_ path: [UInt8], _ error: SystemError) -> Step {
    let text = String(decoding: path, as: UTF8.self)
    return .unreadable(path: text, error.at(text).failure)
  }

  private static let reservedName = Array(".mirror".utf8)

  static func isReserved(_ name: some Collection<UInt8>) -> Bool {
    guard name.starts(with: reservedName) else { return false }
    return name.dropFirst(reservedName.count).first.map { $0 == UInt8(ascii: "-") } ?? true
  }
}

extension FileDescriptor {
  /// An open directory that no one will be told about, so its path does not matter.
  fileprivate consuming func asDirectory() -> Directory { Directory(path: "", descriptor: self) }
}
