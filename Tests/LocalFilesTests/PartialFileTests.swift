// A final name holds the old content or the new one, whatever happens on the way.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Partial files")
struct PartialFileTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  func sink(
    _ name: String, resume: Bool = false, bufferLimit: Int = 65_536, algorithms: DigestAlgorithms = [.crc32c],
    configure: (inout PartialFile.Options) -> Void = { _ in }
  ) throws -> PartialFile {
    var options = PartialFile.Options()
    options.resume = resume
    options.bufferLimit = bufferLimit
    configure(&options)
    return try PartialFile(destination(name), in: cache, digest: try StreamingDigest(algorithms), options: options)
  }

  func partName(_ name: String) throws -> String { TemporaryName.part(for: try destination(name)) }

  @Test("a small file reaches the disk at commit, with its digest and its time", arguments: [0, 65_536])
  func commit(bufferLimit: Int) throws {
    let sink = try sink("a/f", bufferLimit: bufferLimit)
    try write("hello ", to: sink)
    try write("world", to: sink)
    #expect(directory.read("a/f") == nil)
    #expect(sink.position == 11)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    try sink.commit(modified: Timestamp(seconds: 1_500_000_000, nanoseconds: 123_000_000))
    #expect(directory.read("a/f") == "hello world")
    let status = try #require(directory.status("a/f"))
    #expect(status.st_mtim.tv_sec == 1_500_000_000)
    #expect(sink.stamp?.modified == 1_500_000_000_123_000_000)
    #expect(sink.stamp?.inode == UInt64(status.st_ino))
    #expect(sink.stamp?.size == 11)
    #expect(directory.names("a") == ["f"])
  }

  @Test(
    "P11 bytes may follow after the digests were asked for, and are in the next ones", arguments: [0, 8, 65_536],
    [DigestAlgorithms([.crc32c]), [.crc32c, .sha256]])
  func digestsInTheMiddle(bufferLimit: Int, algorithms: DigestAlgorithms) throws {
    let sink = try sink("f", bufferLimit: bufferLimit, algorithms: algorithms)
    try write("hello ", to: sink)
    let early = try sink.digests()
    #expect(try sink.digests() == early)
    try write("world", to: sink)
    let whole = try sink.digests()
    #expect(whole.crc32c?.hex == "c99465aa")
    #expect(whole.algorithms == algorithms)
    #expect(whole.sha256?.hex.hasPrefix("b94d27b9934d3e08") != false)
    #expect(early.crc32c != whole.crc32c)
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("an empty object makes an empty file")
  func empty() throws {
    try sink("f").commit(modified: nil)
    #expect(directory.read("f") == "")
  }

  @Test("a small file that fails leaves nothing, not even its folder")
  func smallFailure() throws {
    for end in [{ $0.discard() }, { $0.park() }] as [(PartialFile) -> Void] {
      let sink = try sink("new/f")
      try write("hello", to: sink)
      end(sink)
    }
    #expect(directory.names().isEmpty)
  }

  @Test("P22: until commit the final name holds the old content, after discard too")
  func oldContentStays() throws {
    try directory.write("f", "old content")
    let sink = try sink("f", bufferLimit: 4)
    try write("new content, longer", to: sink)
    #expect(directory.read("f") == "old content")
    #expect(directory.names() == [try partName("f"), "f"].sorted())
    sink.discard()
    #expect(directory.read("f") == "old content")
    #expect(directory.names() == ["f"])
  }

  @Test("P20: a parked part is continued, and opening it truncates nothing")
  func resume() throws {
    let first = try sink("f", bufferLimit: 0)
    try write("hello ", to: first)
    first.park()
    #expect(directory.read(try partName("f")) == "hello ")

    let looked = try sink("f", resume: true)
    #expect(looked.position == 6)
    looked.park()
    #expect(directory.read(try partName("f")) == "hello ")

    let second = try sink("f", resume: true, algorithms: [.crc32c, .sha256])
    #expect(second.position == 6)
    try write("world", to: second)
    #expect(try second.digests().crc32c?.hex == "c99465aa")
    #expect(try second.digests().sha256?.hex.hasPrefix("b94d27b9934d3e08") == true)
    try second.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
    #expect(directory.names() == ["f"])
  }

  @Test("a part that is whole already is hashed and committed without a byte more")
  func wholePart() throws {
    try directory.write(try partName("f"), "hello world")
    let sink = try sink("f", resume: true)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("restart forgets what an earlier run left")
  func restart() throws {
    try directory.write(try partName("f"), "another version, and longer")
    let sink = try sink("f", resume: true)
    #expect(sink.position == 27)
    try sink.restart()
    #expect(sink.position == 0)
    try write("hello world", to: sink)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("without resume the first new byte replaces an old part, not the opening")
  func stalePart() throws {
    try directory.write(try partName("f"), "stale and longer than the new")
    let sink = try sink("f", bufferLimit: 0)
    #expect(sink.position == 0)
    #expect(directory.read(try partName("f")) == "stale and longer than the new")
    try write("hello world", to: sink)
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("two sinks never share a part")
  func exclusive() throws {
    let first = try sink("f", bufferLimit: 0)
    try write("first", to: first)
    #expect(failure { _ = try self.sink("f", resume: true) }?.reason == .conflict)
    let second = try sink("f", bufferLimit: 0)
    #expect(failure { try write("second", to: second) }?.reason == .conflict)
    second.discard()
    try first.commit(modified: nil)
    #expect(directory.read("f") == "first")
  }

  @Test("a link, a pipe or a second name under the part's name is removed, never written to")
  func trapAtPartName() throws {
    let name = try partName("f")
    try directory.write("victim", "precious")
    for trap in [
      { try directory.link(name, to: "victim") },
      { #expect(mkfifo(directory.path(name), 0o600) == 0) },
      { #expect(Glibc.link(directory.path("victim"), directory.path(name)) == 0) },
    ] as [() throws -> Void] {
      try trap()
      let sink = try sink("f", resume: true, bufferLimit: 0)
      #expect(sink.position == 0)
      try write("content", to: sink)
      try sink.commit(modified: nil)
      #expect(directory.read("victim") == "precious")
      #expect(directory.read("f") == "content")
    }
  }

  @Test("P08: a part that is not as long as what was hashed is not put in place")
  func sizeOnDisk() throws {
    let sink = try sink("f", bufferLimit: 0)
    try write("hello world", to: sink)
    #expect(truncate(directory.path(try partName("f")), 5) == 0)
    let failed = failure { try sink.commit(modified: nil) }
    #expect(failed?.reason == .ioError)
    sink.discard()
    #expect(directory.names().isEmpty)
  }

  @Test("a part that was removed while it was written is not put in place")
  func removedPart() throws {
    let sink = try sink("f", bufferLimit: 0)
    try write("hello world", to: sink)
    #expect(unlink(directory.path(try partName("f"))) == 0)
    #expect(failure { try sink.commit(modified: nil) }?.reason == .ioError)
    #expect(directory.names().isEmpty)
  }

  @Test("durable files are whole as well", arguments: [0, 65_536])
  func durable(bufferLimit: Int) throws {
    let sink = try sink("a/b/f", bufferLimit: bufferLimit) { $0.durable = true }
    try write("hello world", to: sink)
    try sink.commit(modified: nil)
    #expect(directory.read("a/b/f") == "hello world")
  }

  @Test("a batch is made durable by syncing the root's file system", .enabled(if: access("/dev/shm", W_OK) == 0))
  func batch() throws {
    // In memory, because the real disk may be busy with others' bytes.
    let directory = try TestDirectory(below: "/dev/shm")
    try directory.root().sync()
  }

  @Test("a body larger than the buffer is whole, fed in any pieces", arguments: [1_000, 65_535, 65_537, 300_000])
  func spill(size: Int) throws {
    let sink = try sink("f")
    try HashVector.pattern.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: size) {
        try sink.write(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)]))
      }
    }
    #expect(try sink.digests().crc32c?.hex == "dc3e0071")
    try sink.commit(modified: nil)
    let hash = try FileHash([.md5], in: cache).hash(destination("f"))
    #expect(hash?.digests.md5?.hex == "8f293a2f6c19b345152f7a49bb4c643c")
  }

  @Test("part names are stable, differ by path, and no user can have one")
  func partNames() throws {
    let names = try ["f", "a/f", "b/f", "e\u{301}", "\u{E9}"].map { try partName($0) }
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.utf8.count == 29)
      #expect(TemporaryName.matches(name.utf8))
      #expect(throws: RelativePath.Violation.reserved) { try RelativePath(name) }
    }
    // The digits are the first of sha256("f"): a later version must find the parts of an earlier one.
    #expect(names[0] == ".mirror-252f10c83610ebca.part")
    for other in [".mirror-x.part", ".mirror-252F10C83610EBCA.part", ".mirror", "f.part"] {
      #expect(!TemporaryName.matches(other.utf8))
    }
  }

  @Test("P52: a sink that is opened to look and then discarded or parked leaves old files alone")
  func untouched() throws {
    try directory.write("f", "old")
    let before = try #require(directory.status("f"))
    try sink("f", resume: true).discard()
    try sink("f").park()
    let after = try #require(directory.status("f"))
    #expect(before.st_ino == after.st_ino)
    #expect(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
    #expect(directory.names() == ["f"])
  }
}
