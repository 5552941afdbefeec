// A part that is filled at several places: what it holds, what its digests are, and what a later run takes up.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Stretches of a part")
struct StretchTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  private func file(
    _ algorithms: DigestAlgorithms = [.crc32c], resuming stretches: [Range<Int64>]? = nil
  ) throws -> PartialFile {
    var options = PartialFile.Options()
    options.resume = stretches != nil
    options.stretches = stretches
    return try PartialFile(destination("f"), in: cache, digest: try StreamingDigest(algorithms), options: options)
  }

  private func write(_ text: String, to file: PartialFile, at offset: Int64) throws {
    var failure: TransferFailure?
    Array(text.utf8).withUnsafeBytes { bytes in
      do throws(TransferFailure) { try file.write(bytes, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  @Test(
    "stretches in any order make the whole, and so do their digests",
    arguments: [[.crc32c], [.crc32c, .sha256]] as [DigestAlgorithms])
  func anyOrder(algorithms: DigestAlgorithms) throws {
    let file = try file(algorithms)
    try write("hel", to: file, at: 0)
    try write("wor", to: file, at: 6)
    try write("d", to: file, at: 10)
    #expect(file.stretches == [0..<3, 6..<9, 10..<11])
    #expect(file.position == 3)
    try write("l", to: file, at: 9)
    #expect(file.stretches == [0..<3, 6..<11])
    try write("lo ", to: file, at: 3)
    #expect(file.stretches == [0..<11])
    #expect(file.position == 11)
    #expect(try file.digests() == StreamingDigest.digests(of: "hello world".utf8, algorithms))
    try file.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("no byte is written twice", arguments: [(0, "x"), (2, "xx"), (5, "xx"), (7, "x"), (3, "xxxx")])
  func twice(offset: Int64, text: String) throws {
    let file = try file()
    try write("hel", to: file, at: 0)
    try write("wor", to: file, at: 6)
    #expect(throws: TransferFailure.self) { try write(text, to: file, at: offset) }
    #expect(file.stretches == [0..<3, 6..<9])
    file.discard()
  }

  @Test("a file with a hole is not put in place") func hole() throws {
    let file = try file()
    try write("hello ", to: file, at: 0)
    try write("d", to: file, at: 10)
    #expect(throws: TransferFailure.self) { try file.commit(modified: nil) }
    file.discard()
    #expect(directory.read("f") == nil)
  }

  @Test("a digest that needs every byte is brought on piece by piece") func catchingUp() throws {
    let file = try file([.sha256])
    try write("hel", to: file, at: 0)
    try write(" world", to: file, at: 5)
    #expect(try !file.catchUp(atMost: 0))
    try write("lo", to: file, at: 3)
    #expect(try file.catchUp(atMost: 0))
    #expect(try file.catchUp(atMost: 4))
    #expect(try !file.catchUp(atMost: 4))
    #expect(try file.digests() == StreamingDigest.digests(of: "hello world".utf8, [.sha256]))
    file.discard()
  }

  @Test("a later run takes up what was written down, as far as the file has it") func resuming() throws {
    let first = try file()
    try write("hel", to: first, at: 0)
    try write("wor", to: first, at: 6)
    if let sync = try first.syncing() { try sync() }
    first.park()
    let second = try file(resuming: [0..<3, 6..<8, 10..<11])
    #expect(second.stretches == [0..<3, 6..<8])
    try write("ld", to: second, at: 9)
    try write("r", to: second, at: 8)
    try write("lo ", to: second, at: 3)
    #expect(try second.digests() == StreamingDigest.digests(of: "hello world".utf8, [.crc32c]))
    try second.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test(
    "a record that does not begin at 0, or is out of order, is not believed",
    arguments: [[1..<3], [0..<2, 1..<3], [4..<5, 0..<2], []] as [[Range<Int64>]])
  func nonsense(stretches: [Range<Int64>]) throws {
    let first = try file()
    try write("hello", to: first, at: 0)
    first.park()
    // Nothing was beyond what waits in memory unless it was written at its place.
    let second = try file(resuming: stretches)
    #expect(second.position == 0)
    #expect(second.stretches == [])
    second.discard()
  }

  @Test("forgetting what lies beyond leaves a file that its length tells of") func firstStretchOnly() throws {
    let first = try file()
    try write("hello", to: first, at: 0)
    try write("d", to: first, at: 10)
    try first.keepFirstStretch()
    #expect(first.stretches == [0..<5])
    first.park()
    var options = PartialFile.Options()
    options.resume = true
    let second = try PartialFile(destination("f"), in: cache, digest: try StreamingDigest([.crc32c]), options: options)
    #expect(second.position == 5)
    second.discard()
  }

  @Test("starting over forgets everything") func startingOver() throws {
    let file = try file([.crc32c, .md5])
    try write("x", to: file, at: 0)
    try write("yz", to: file, at: 7)
    try file.restart()
    #expect(file.stretches == [])
    try write("hello", to: file, at: 0)
    #expect(try file.digests() == StreamingDigest.digests(of: "hello".utf8, [.crc32c, .md5]))
    try file.commit(modified: nil)
    #expect(directory.read("f") == "hello")
  }
}
