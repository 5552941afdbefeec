// Segments written side by side are one file, or none.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Segmented files")
struct SegmentedFileTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  func file(_ name: String, size: Int64, mode: UInt16? = nil) throws -> SegmentedFile {
    var options = PartialFile.Options()
    options.mode = mode
    return try SegmentedFile(destination(name), in: cache, size: size, options: options)
  }

  @Test("N08: segments in any order make the whole, and so do their checksums")
  func whole() throws {
    let file = try file("a/f", size: 11, mode: 0o640)
    let second = file.segment(offset: 6, length: 5, digest: try StreamingDigest([.crc32c]))
    let first = file.segment(offset: 0, length: 6, digest: try StreamingDigest([.crc32c]))
    try write("world", to: second)
    try write("hel", to: first)
    first.restart()
    try write("hello ", to: first)
    let checksums = try [first, second].compactMap { try $0.digests().crc32c }.compactMap { CRC32C.value(of: $0) }
    #expect(CRC32C.combine(checksums[0], checksums[1], secondLength: 5) == 0xC994_65AA)
    for segment in [second, first] { try segment.commit(modified: nil) }
    #expect(directory.read("a/f") == nil)
    let stamp = try file.commit(modified: Timestamp(seconds: 1_500_000_000))
    #expect(directory.read("a/f") == "hello world")
    #expect(stamp.modified == 1_500_000_000_000_000_000)
    #expect(directory.mode("a/f") == 0o640)
    file.discard()
    #expect(directory.names("a") == ["f"])
  }

  @Test("a file with a hole is never put in place, and leaves nothing")
  func hole() throws {
    try directory.write("f", "old")
    do {
      let file = try file("f", size: 11)
      let first = file.segment(offset: 0, length: 6, digest: try StreamingDigest([]))
      let second = file.segment(offset: 6, length: 5, digest: try StreamingDigest([]))
      try write("hello ", to: first)
      try write("wor", to: second)
      try first.commit(modified: nil)
      try first.commit(modified: nil)
      #expect(failure { try second.commit(modified: nil) }?.reason == .truncated)
      #expect(failure { _ = try file.commit(modified: nil) }?.reason == .truncated)
      #expect(directory.names().count == 2)
    }
    #expect(directory.names() == ["f"])
    #expect(directory.read("f") == "old")
  }

  @Test("a length that the file system cannot hold is told at once, and leaves nothing")
  func tooLarge() throws {
    #expect(failure { _ = try self.file("f", size: .max) }?.failureClass == .local)
    #expect(directory.names().isEmpty)
  }

  @Test("a segment takes no byte of its neighbour")
  func bounds() throws {
    let file = try file("f", size: 11)
    let first = file.segment(offset: 0, length: 6, digest: try StreamingDigest([]))
    let failed = failure { try write("hello w", to: first) }
    #expect(failed?.reason == .sizeMismatch)
    #expect(failed?.failureClass == .integrity)
    #expect(first.position == 0)
  }

  @Test("segments may be written by several threads")
  func threads() async throws {
    let (count, length) = (8, HashVector.pattern.count / 8)
    let file = try file("f", size: Int64(count * length))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        group.addTask {
          let start = index * length
          let sink = file.segment(offset: Int64(start), length: Int64(length), digest: try StreamingDigest([]))
          try HashVector.pattern.withUnsafeBytes { bytes in
            for at in stride(from: start, to: start + length, by: 10_000) {
              try sink.write(UnsafeRawBufferPointer(rebasing: bytes[at..<min(at + 10_000, start + length)]))
            }
          }
          try sink.commit(modified: nil)
        }
      }
      try await group.waitForAll()
    }
    _ = try file.commit(modified: nil)
    #expect(try FileHash([.crc32c], in: cache).hash(destination("f"))?.digests.crc32c?.hex == "dc3e0071")
  }
}
