// Every sink keeps the promises of `ByteSink`, as far as it can look back.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Sinks")
struct SinkTests {
  static let kinds = ["memory", "buffered file", "part file"]

  func make(_ kind: String, in directory: TestDirectory) throws -> any ByteSink {
    let digest = try StreamingDigest([.crc32c])
    if kind == "memory" { return MemorySink(maxSize: 1 << 20, digest: digest) }
    var options = PartialFile.Options()
    options.bufferLimit = kind == "part file" ? 0 : 65_536
    return try PartialFile(destination("f"), in: try directory.cache(), digest: digest, options: options)
  }

  @Test("bytes are counted, hashed, and forgotten by restart", arguments: kinds)
  func contract(kind: String) throws {
    let directory = try TestDirectory()
    let sink = try make(kind, in: directory)
    #expect(sink.position == 0)
    #expect(try sink.digests().crc32c?.hex == "00000000")
    try write("another version", to: sink)
    #expect(sink.position == 15)
    try sink.restart()
    #expect(sink.position == 0)
    try write("", to: sink)
    try write("hello world", to: sink)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    try sink.commit(modified: nil)
    if let memory = sink as? MemorySink {
      #expect(memory.bytes == Array("hello world".utf8))
    } else {
      #expect(directory.read("f") == "hello world")
      sink.discard()
      #expect(directory.read("f") == "hello world")
    }
  }

  @Test("memory holds exactly its limit and no byte more")
  func limit() throws {
    let sink = MemorySink(maxSize: 5, digest: try StreamingDigest([]))
    try write("12345", to: sink)
    let failed = failure { try write("6", to: sink) }
    #expect(failed?.reason == .sizeLimitExceeded)
    #expect(failed?.failureClass == .permanent)
    #expect(sink.bytes.count == 5)
    sink.discard()
    #expect(sink.bytes.isEmpty)
  }

  @Test("standard output gets the bytes as they come and cannot take them back")
  func descriptor() throws {
    let directory = try TestDirectory()
    let file = open(directory.path("out"), O_WRONLY | O_CREAT, 0o600)
    try #require(file >= 0)
    let sink = DescriptorSink(file, digest: try StreamingDigest([.crc32c]))
    try sink.restart()
    try write("hello world", to: sink)
    #expect(directory.read("out") == "hello world")
    #expect(sink.position == 11)
    #expect(try sink.digests().crc32c?.hex == "c99465aa")
    let failed = failure { try sink.restart() }
    #expect(failed?.reason == .changedDuringTransfer)
    sink.discard()
    #expect(fcntl(file, F_GETFD) >= 0)
    close(file)
  }

  @Test("P08: a device that is full is an error of the write")
  func fullDevice() throws {
    let file = open("/dev/full", O_WRONLY)
    try #require(file >= 0)
    defer { close(file) }
    let sink = DescriptorSink(file, digest: try StreamingDigest([]))
    let failed = failure { try write("x", to: sink) }
    #expect(failed?.reason == .diskFull)
    #expect(failed?.message == "cannot write to standard output: No space left on device")
    #expect(sink.position == 0)
  }
}
