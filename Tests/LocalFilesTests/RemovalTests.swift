// Pruning takes away exactly what was decided on.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Removal")
struct RemovalTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
    try directory.write("a/b/f", "content")
  }

  @Test("a file goes when it looks as it did, and not when it changed")
  func expecting() throws {
    let stamp = try #require(try cache.survey(destination("a/b/f"))).stamp
    var other = stamp
    other.size += 1
    #expect(failure { _ = try self.cache.remove(destination("a/b/f"), expecting: other) }?.reason == .factsMoved)
    #expect(directory.read("a/b/f") == "content")
    #expect(try cache.remove(destination("a/b/f"), expecting: stamp))
    #expect(directory.names("a/b").isEmpty)
    #expect(try !cache.remove(destination("a/b/f"), expecting: stamp))
    #expect(try !cache.remove(destination("none/f"), expecting: nil))
  }

  @Test("trash keeps the path, a newer file replaces an older one there")
  func trash() throws {
    #expect(try cache.moveToTrash(destination("a/b/f"), folder: "trash-1", expecting: nil))
    #expect(directory.read("a/b/f") == nil)
    #expect(directory.read(".mirror/trash-1/a/b/f") == "content")
    try directory.write("a/b/f", "newer")
    #expect(try cache.moveToTrash(destination("a/b/f"), folder: "trash-1", expecting: nil))
    #expect(directory.read(".mirror/trash-1/a/b/f") == "newer")
    #expect(try !cache.moveToTrash(destination("a/b/f"), folder: "trash-1", expecting: nil))
  }

  @Test("a link is removed, its target is not; nothing is removed through a link")
  func links() throws {
    try directory.link("link", to: "a/b/f")
    try directory.link("dir", to: "a")
    #expect(try cache.remove(destination("link"), expecting: nil))
    #expect(failure { _ = try self.cache.remove(destination("dir/b/f"), expecting: nil) }?.reason == .symlinkRefused)
    #expect(directory.read("a/b/f") == "content")
  }

  @Test("directories go only when they are empty, and never as files")
  func directories() throws {
    #expect(failure { _ = try self.cache.remove(destination("a/b"), expecting: nil) }?.reason == .isADirectory)
    #expect(try !cache.removeDirectoryIfEmpty(destination("a/b")))
    #expect(try cache.remove(destination("a/b/f"), expecting: nil))
    #expect(try cache.removeDirectoryIfEmpty(destination("a/b")))
    #expect(try !cache.removeDirectoryIfEmpty(destination("a/b")))
    #expect(directory.names("a").isEmpty)
    // A directory that was kept open and is gone is made anew.
    try cache.makeDirectory(destination("a/b"))
    #expect(directory.names("a") == ["b"])
  }
}
