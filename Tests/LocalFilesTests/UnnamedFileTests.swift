// Files that have no name until they are whole: nothing to see before, nothing left behind, nothing replaced.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Files without a name")
struct UnnamedFileTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  func sink(_ name: String = "f", bufferLimit: Int = 0, continuable: Bool = false) throws -> PartialFile {
    var options = PartialFile.Options()
    options.replaced = .nothing
    options.continuable = continuable
    options.bufferLimit = bufferLimit
    return try PartialFile(destination(name), in: cache, digest: try StreamingDigest([.crc32c]), options: options)
  }

  @Test("no name is to be seen until the file is whole", arguments: [0, 65_536])
  func hidden(bufferLimit: Int) throws {
    let sink = try sink("a/f", bufferLimit: bufferLimit)
    try write("hello ", to: sink)
    try write("world", to: sink)
    #expect(directory.names("a") == [])
    let stamp = try #require(try sink.commit(modified: Timestamp(seconds: 1_500_000_000, nanoseconds: 0)))
    #expect(directory.names("a") == ["f"])
    #expect(directory.read("a/f") == "hello world")
    let status = try #require(directory.status("a/f"))
    #expect(status.st_nlink == 1)
    #expect(status.st_mtim.tv_sec == 1_500_000_000)
    #expect(stamp.inode == UInt64(status.st_ino))
  }

  @Test(
    "a file of a known size, in one piece, in two, of more and of fewer bytes",
    arguments: [["hello world"], ["hello", " world"], ["hello world", "!"], ["hello"], ["hello world", ""]],
    ["f", "a/f"])
  func expected(pieces: [String], name: String) throws {
    try directory.write("b", "")
    var options = PartialFile.Options()
    options.replaced = .nothing
    options.expectedSize = 11
    let sink = try PartialFile(destination(name), in: cache, digest: try StreamingDigest([.crc32c]), options: options)
    for piece in pieces { try write(piece, to: sink) }
    // Nothing that could be seen, a folder neither.
    #expect(directory.names() == ["b"])
    #expect(sink.position == Int64(pieces.joined().utf8.count))
    let digests = try sink.digests()
    #expect(digests == (try StreamingDigest.digests(of: pieces.joined().utf8, [.crc32c])))
    try sink.commit(modified: nil)
    #expect(directory.read(name) == pieces.joined())
  }

  @Test("what is not committed leaves nothing behind", arguments: ["discard", "park", "let go"])
  func gone(end: String) throws {
    var sink: PartialFile? = try sink()
    try sink.map { try write("hello", to: $0) }
    switch end {
    case "discard": sink?.discard()
    case "park": sink?.park()
    default: break
    }
    sink = nil
    #expect(directory.names() == [])
  }

  @Test("a restart empties it, and the digests are of what came after")
  func restart() throws {
    let sink = try sink()
    try write("something else, and longer", to: sink)
    try sink.restart()
    try write("hello world", to: sink)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test(
    "a file that appears meanwhile stays as it is, and is told; of a file with a name just so", arguments: [0, 65_536],
    [true, false])
  func appeared(bufferLimit: Int, continuable: Bool) throws {
    let sink = try sink(bufferLimit: bufferLimit, continuable: continuable)
    try write("ours", to: sink)
    try directory.write("f", "theirs")
    let failure = failure { try sink.commit(modified: nil) }
    #expect(failure?.reason == .conflict)
    #expect(failure?.failureClass == .local)
    #expect(failure?.message.contains("while mirror was fetching it") == true)
    sink.discard()
    #expect(directory.read("f") == "theirs")
    #expect(directory.names() == ["f"])
  }

  @Test("a link that appears meanwhile stays, and what it leads to")
  func appearedLink() throws {
    try directory.write("target", "theirs")
    let sink = try sink()
    try write("ours", to: sink)
    #expect(symlink("target", directory.path("f")) == 0)
    #expect(failure { try sink.commit(modified: nil) }?.reason == .conflict)
    #expect(directory.read("target") == "theirs")
  }

  @Test("bytes that are worth continuing have a name")
  func continuable() throws {
    let sink = try sink(continuable: true)
    try write("hello", to: sink)
    #expect(directory.names() == [TemporaryName.part(for: try destination("f"))])
    sink.park()
    #expect(directory.names() == [TemporaryName.part(for: try destination("f"))])
  }

  @Test("a folder that went away is made again", arguments: [0, 65_536])
  func removedFolder(bufferLimit: Int) throws {
    let first = try sink("a/f", bufferLimit: bufferLimit)
    try first.commit(modified: nil)
    #expect(unlink(directory.path("a/f")) == 0)
    #expect(rmdir(directory.path("a")) == 0)
    let second = try sink("a/f", bufferLimit: bufferLimit)
    try write("hello", to: second)
    try second.commit(modified: nil)
    #expect(directory.read("a/f") == "hello")
  }
}
