// Rehashing what is on the disk.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Hashing files")
struct FileHashTests {
  let directory: TestDirectory
  let hash: FileHash

  init() throws {
    directory = try TestDirectory()
    hash = try FileHash([.crc32c, .sha256], in: try directory.cache())
  }

  @Test("one hasher serves many files, a missing one is nil")
  func hashes() throws {
    try directory.write("a/f", "hello world")
    try directory.write("empty", "")
    let first = try #require(try hash.hash(destination("a/f")))
    #expect(first.digests.crc32c?.hex == "c99465aa")
    #expect(first.digests.sha256?.hex.hasPrefix("b94d27b9934d3e08") == true)
    #expect(first.digests.md5 == nil)
    #expect(first.isStable)
    #expect(first.after.size == 11)
    #expect(try hash.hash(destination("empty"))?.digests.crc32c?.hex == "00000000")
    #expect(try hash.hash(destination("none")) == nil)
    #expect(try hash.hash(destination("none/none")) == nil)
  }

  @Test("a file that changed while it was read is noticed")
  func unstable() throws {
    try directory.write("f", String(repeating: "x", count: 3 << 20))
    var reads = 0
    let result = try hash.hash(destination("f")) {
      reads += 1
      if reads == 2 { #expect(truncate(self.directory.path("f"), 5 << 20) == 0) }
      return false
    }
    #expect(result?.isStable == false)
    #expect(result?.before.size == 3 << 20)
    #expect(result?.after.size == 5 << 20)
  }

  @Test("reading stops within a MiB when it is cancelled")
  func cancel() throws {
    try directory.write("f", String(repeating: "x", count: 3 << 20))
    var reads = 0
    let failed = failure {
      _ = try self.hash.hash(destination("f")) {
        reads += 1
        return reads == 2
      }
    }
    #expect(failed?.reason == .cancelled)
    #expect(failed?.failureClass == .cancelled)
    #expect(reads == 2)
  }

  @Test("what is no file is refused by its kind, and a pipe does not block")
  func kinds() throws {
    try directory.makeDirectory("d")
    try directory.link("link", to: "d")
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    #expect(failure { _ = try self.hash.hash(destination("d")) }?.reason == .isADirectory)
    #expect(failure { _ = try self.hash.hash(destination("link")) }?.reason == .symlinkRefused)
    #expect(failure { _ = try self.hash.hash(destination("pipe")) }?.reason == .nameConflict)
  }
}
