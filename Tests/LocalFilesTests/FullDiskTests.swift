// P08, P26: a disk that is full. Needs a file system of its own, which only root can mount.

import Glibc
import LocalFiles
import Testing
import TransferModel

/// A tmpfs of 1 MiB and a few files; unmounted with the last reference.
final class SmallDisk {
  let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    try #require(mount("tmpfs", directory.path, "tmpfs", 0, "size=1m,nr_inodes=16") == 0)
  }

  deinit { umount2(directory.path, 2) }

  static let isAvailable: Bool = (try? SmallDisk()) != nil
}

@Suite("A full disk", .enabled(if: SmallDisk.isAvailable, "needs the right to mount a tmpfs"))
struct FullDiskTests {
  let disk: SmallDisk
  let cache: DirectoryCache

  init() throws {
    disk = try SmallDisk()
    cache = try disk.directory.cache()
  }

  func sink(_ name: String, bufferLimit: Int) throws -> PartialFile {
    var options = PartialFile.Options()
    options.bufferLimit = bufferLimit
    return try PartialFile(destination(name), in: cache, digest: try StreamingDigest([]), options: options)
  }

  @Test("P08, P26: a body that does not fit is disk_full, and discarding it gives the space back")
  func body() throws {
    try disk.directory.write("f", "old")
    let before = try FileSystemFacts(cache.root).space()
    let sink = try sink("f", bufferLimit: 65_536)
    let failed = failure {
      for _ in 0..<3 { try HashVector.pattern.withUnsafeBytes { try sink.write(.init(rebasing: $0[..<524_288])) } }
    }
    #expect(failed?.reason == .diskFull)
    #expect(failed?.failureClass == .local)
    #expect(failed?.errno == ENOSPC)
    sink.discard()
    #expect(disk.directory.names() == ["f"])
    #expect(disk.directory.read("f") == "old")
    #expect(try FileSystemFacts(cache.root).space() == before)
  }

  @Test("P08: a small body that does not fit fails at commit and leaves the old file")
  func smallBody() throws {
    try disk.directory.write("f", "old")
    try disk.directory.write("ballast", String(repeating: "x", count: 1_044_000 - 8_192))
    let sink = try sink("f", bufferLimit: 65_536)
    try write(String(repeating: "y", count: 60_000), to: sink)
    #expect(failure { try sink.commit(modified: nil) }?.reason == .diskFull)
    sink.discard()
    #expect(disk.directory.names() == ["ballast", "f"])
    #expect(disk.directory.read("f") == "old")
  }

  @Test("P26: inodes that are used up are disk_full")
  func inodes() throws {
    let failed = failure {
      for number in 0..<20 {
        let sink = try self.sink("f\(number)", bufferLimit: 65_536)
        try sink.commit(modified: nil)
      }
    }
    #expect(failed?.reason == .diskFull)
    #expect(try FileSystemFacts(cache.root).space().freeInodes == 0)
  }

  @Test("a document that does not fit leaves the old one")
  func document() throws {
    try disk.directory.write("report.json", "old")
    let failed = failure {
      let document = try AtomicDocument(self.disk.directory.path("report.json"))
      for _ in 0..<40 { try document.append(String(repeating: "x", count: 65_536)) }
      try document.publish()
    }
    #expect(failed?.reason == .diskFull)
    #expect(disk.directory.names() == ["report.json"])
    #expect(disk.directory.read("report.json") == "old")
  }

  @Test("P26: the space is that of the root's file system")
  func space() throws {
    let space = try FileSystemFacts(cache.root).space()
    #expect(space.free <= 1 << 20)
    #expect(space.free > 1 << 18)
    #expect((space.freeInodes ?? 0) < 16)
  }

  @Test("a file system that is read-only is told as such")
  func readOnly() throws {
    try #require(mount(nil, disk.directory.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    let sink = try sink("f", bufferLimit: 65_536)
    #expect(failure { try sink.commit(modified: nil) }?.reason == .readOnly)
    let error = #expect(throws: RootLock.Failure.self) {
      try RootLock.acquire(cache.root, started: "now", pause: { _ in false })
    }
    guard case .failed(let failure) = error else { return #expect(error == nil, "expected failed") }
    #expect(failure.reason == .readOnly)
  }
}

@Suite("File system facts")
struct FileSystemFactsTests {
  @Test("the probe for case leaves nothing behind and is made once")
  func foldsCase() throws {
    let directory = try TestDirectory()
    let facts = FileSystemFacts(try directory.root())
    let answer = try facts.foldsCase()
    try directory.write("PROBE", "")
    #expect(answer == (directory.status("probe") != nil))
    #expect(try facts.foldsCase() == answer)
    #expect(directory.names() == ["PROBE"])
  }
}
