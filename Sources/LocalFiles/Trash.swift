// Where pruned files wait before they are really gone: `.mirror/trash/<run>/<path>`. What goes there, and when it has
// waited long enough, is decided elsewhere; files get there by `DirectoryCache.moveToTrash`.

import Glibc
package import TransferModel

/// The trash of one root. Meant for the holder of the root's lock.
package struct Trash: Sendable {
  private static let folderName = "trash"

  private let directories: DirectoryCache

  package init(_ directories: DirectoryCache) { self.directories = directories }

  /// The folder of one run, as `moveToTrash` wants it.
  package static func folder(of run: String) -> String { "\(folderName)/\(run)" }

  /// The runs that have something in the trash, in byte order; names that are not UTF-8 are no runs.
  package func runs() throws(TransferFailure) -> [String] {
    guard let folder = try directories.directory(Self.path) else { return [] }
    do throws(SystemError) {
      let listing = try Self.list(folder)
      return listing.items.compactMap { String(validating: listing.name(of: $0), as: UTF8.self) }
    } catch {
      throw error.at(Self.path).failure
    }
  }

  /// Deletes all that a run has in the trash; follows no link. True when nothing is left; false when `isStopped`, which
  /// is asked before each file, said so.
  package func empty(_ run: String, isStopped: () -> Bool) throws(TransferFailure) -> Bool {
    let path = "\(Self.path)/\(run)"
    guard let folder = try directories.directory(Self.path), let content = try directories.directory(path) else {
      return true
    }
    do throws(SystemError) {
      guard try Self.clear(content, isStopped) else { return false }
      try SystemCall.unlink(at: folder.number, run, flags: AT_REMOVEDIR)
    } catch {
      throw error.at(path).failure
    }
    directories.forget(path)
    // Fails while another run has something in it, which is as it should be.
    if let parent = try directories.directory(RootLock.directoryName) {
      let isGone = (try? SystemCall.unlink(at: parent.number, Self.folderName, flags: AT_REMOVEDIR)) != nil
      if isGone { directories.forget(Self.path) }
    }
    return true
  }

  private static var path: String { "\(RootLock.directoryName)/\(folderName)" }

  private static func list(_ directory: Directory) throws(SystemError) -> DirectoryListing {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    let readable = try SystemCall.open(at: directory.number, ".", O_RDONLY | O_DIRECTORY)
    return try DirectoryListing(reading: readable.rawValue, buffer: buffer)
  }

  /// Depth first; as deep as a path may be, which `RelativePath` bounds.
  static func clear(_ directory: Directory, _ isStopped: () -> Bool) throws(SystemError) -> Bool {
    let listing = try list(directory)
    for item in listing.items {
      guard !isStopped() else { return false }
      if item.kind == .directory {
        let opened = listing.withName(of: item) { name in
          Result { () throws(SystemError) in
            Directory(
              path: "", descriptor: try SystemCall.open(at: directory.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            )
          }
        }
        guard try clear(try opened.get(), isStopped) else { return false }
      }
      let flags = item.kind == .directory ? AT_REMOVEDIR : 0
      try listing.withName(of: item) { name in
        Result { () throws(SystemError) in try SystemCall.unlink(at: directory.number, name, flags: flags) }
      }.get()
    }
    return true
  }
}
