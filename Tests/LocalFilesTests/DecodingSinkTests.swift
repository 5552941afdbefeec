// Stored bytes are verified, decoded bytes reach the disk, and nothing is put in place unless both are right.

import LocalFiles
import TestSupport
import Testing
import TransferModel

@Suite("Decoding sink")
struct DecodingSinkTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  /// A sink into the file `f`, which holds `old`.
  func sink(
    pins: [Digest] = [], limit: Int64? = nil, bufferLimit: Int = 65_536, decoded: DigestAlgorithms = [.sha256]
  ) throws -> DecodingSink {
    try directory.write("f", "old")
    var options = PartialFile.Options()
    options.bufferLimit = bufferLimit
    let file = try PartialFile(destination("f"), in: cache, digest: try StreamingDigest(decoded), options: options)
    return try decoding(into: file, pins: pins, limit: limit)
  }

  func decoding(into inner: any ByteSink, pins: [Digest] = [], limit: Int64? = nil) throws -> DecodingSink {
    try DecodingSink(
      into: inner, place: "gs://b/o", digest: try StreamingDigest([.crc32c, .md5]), pins: DigestSet(pins), limit: limit)
  }

  /// After a failure: the old content alone.
  func expectOnlyOldContent(_ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(directory.read("f") == "old", sourceLocation: sourceLocation)
    #expect(directory.names() == ["f"], sourceLocation: sourceLocation)
  }

  static let helloSHA256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

  @Test("P01, P03: size and digests are of the stored bytes, the file holds the decoded ones", arguments: [1, 7, .max])
  func storedAndDecoded(piece: Int) throws {
    let sink = try sink()
    try write(GzipSample.hello, to: sink, piece: piece)
    #expect(sink.position == 31)
    #expect(try sink.digests().crc32c?.hex == "67e42e33")
    #expect(try sink.digests().md5?.hex == "984c6142db11d3072f9c319b34a4e5b7")
    #expect(sink.decodedDigests == nil)
    #expect(directory.read("f") == "old")
    let stamp = try sink.commit(modified: Timestamp(seconds: 1_500_000_000, nanoseconds: 0))
    #expect(directory.read("f") == "hello world")
    #expect(directory.status("f")?.st_mtim.tv_sec == 1_500_000_000)
    #expect(stamp?.size == 11)
    #expect(sink.decodedSize == 11)
    #expect(sink.decodedDigests?.all.map(\.hex) == [Self.helloSHA256])
  }

  @Test("P02: exactly one layer is removed")
  func oneLayer() throws {
    let memory = MemorySink(maxSize: 1_000, digest: try StreamingDigest([]))
    let sink = try decoding(into: memory)
    try write(try GzipSample.compressed(GzipSample.hello), to: sink)
    try sink.commit(modified: nil)
    #expect(memory.bytes == GzipSample.hello)
  }

  static let broken: [(String, [UInt8])] = [
    ("not gzip", Array("<html>not gzip</html>".utf8)),
    ("truncated", Array(GzipSample.hello.dropLast())),
    ("wrong CRC-32", GzipDecoderTests.changing(GzipSample.hello, at: 23)),
    ("garbage behind", GzipSample.hello + [0x41]),
    ("no bytes", []),
  ]

  @Test("P05: what is no gzip stream can be verified as stored, then fails, and the old file stays", arguments: broken)
  func decodeFailed(what: String, stored: [UInt8]) throws {
    let sink = try sink(bufferLimit: 0)
    try write(stored, to: sink, piece: 3)
    #expect(sink.position == Int64(stored.count))
    #expect(try sink.digests() == StreamingDigest.digests(of: stored, [.crc32c, .md5]))
    let failure = failure { try sink.commit(modified: nil) }
    #expect(failure?.reason == .decodeFailed)
    #expect(failure?.failureClass == .permanent)
    #expect(failure?.message.contains("gs://b/o") == true)
    sink.discard()
    expectOnlyOldContent()
  }

  @Test("P06: a gzip bomb is stopped at the limit, before a byte beyond it is written")
  func bomb() throws {
    let limit: Int64 = 200_000
    let memory = MemorySink(maxSize: .max, digest: try StreamingDigest([]))
    let sink = try decoding(into: memory, limit: limit)
    let stored = try GzipSample.compressed([UInt8](repeating: 0, count: 8 << 20))
    let failure = failure { try write(stored, to: sink) }
    #expect(failure?.reason == .sizeLimitExceeded)
    #expect(failure?.failureClass == .permanent)
    #expect(memory.position <= limit)
    #expect(memory.position == sink.decodedSize)
  }

  @Test("as many bytes as the limit are allowed, one more is not", arguments: [(11, true), (10, false)])
  func limit(limit: Int64, isAllowed: Bool) throws {
    let sink = try sink(limit: limit, bufferLimit: 0)
    if isAllowed {
      try write(GzipSample.hello, to: sink)
      try sink.commit(modified: nil)
      #expect(directory.read("f") == "hello world")
    } else {
      #expect(failure { try write(GzipSample.hello, to: sink) }?.reason == .sizeLimitExceeded)
      sink.discard()
      expectOnlyOldContent()
    }
  }

  @Test("a pin of the decoded bytes that agrees lets them pass")
  func pinAgrees() throws {
    let sink = try sink(pins: [try Digest(parsing: Self.helloSHA256, as: .sha256)])
    try write(GzipSample.hello, to: sink)
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
  }

  @Test("a pin that differs, or that nothing was computed for, leaves the old file", arguments: [true, false])
  func pinDiffers(isComputed: Bool) throws {
    let pin = try #require(Digest(.sha256, bytes: [UInt8](repeating: 1, count: 32)))
    let sink = try sink(pins: [pin], bufferLimit: 0, decoded: isComputed ? [.sha256] : [.md5])
    try write(GzipSample.hello, to: sink)
    let failure = failure { try sink.commit(modified: nil) }
    #expect(failure?.reason == (isComputed ? .checksumMismatch : .notComparable))
    #expect(failure?.failureClass == (isComputed ? .integrity : .permanent))
    sink.discard()
    expectOnlyOldContent()
  }

  @Test("restart in the middle, or after a failed commit, begins anew", arguments: [3, 20, 31])
  func restart(cut: Int) throws {
    let sink = try sink(bufferLimit: 0)
    try write(Array(try GzipSample.compressed(GzipSample.contents[3]).prefix(2_000)), to: sink)
    try write(Array(GzipSample.hello.prefix(cut)), to: sink)
    #expect(failure { try sink.commit(modified: nil) }?.reason == .decodeFailed)
    try sink.restart()
    #expect(sink.position == 0)
    #expect(sink.decodedSize == 0)
    try write(GzipSample.hello, to: sink)
    #expect(sink.position == 31)
    #expect(try sink.digests().crc32c?.hex == "67e42e33")
    try sink.commit(modified: nil)
    #expect(directory.read("f") == "hello world")
    #expect(sink.decodedDigests?.sha256?.hex == Self.helloSHA256)
  }

  @Test("park keeps nothing to continue")
  func park() throws {
    let sink = try sink(bufferLimit: 0)
    try write(GzipSample.hello, to: sink)
    sink.park()
    expectOnlyOldContent()
  }

  @Test("bytes that the inner sink kept from an earlier run are forgotten")
  func neverResumes() throws {
    let memory = MemorySink(maxSize: 1_000, digest: try StreamingDigest([]))
    try write("left over", to: memory)
    let sink = try decoding(into: memory)
    #expect(sink.position == 0)
    try write(GzipSample.hello, to: sink)
    try sink.commit(modified: nil)
    #expect(memory.bytes == GzipSample.helloText)
  }

  @Test("what the inner sink throws comes through unchanged", arguments: FailingSink.Call.allCases)
  func innerFailure(call: FailingSink.Call) throws {
    let inner = FailingSink(at: call)
    let sink = try decoding(into: inner)
    let failure = failure {
      try write(GzipSample.hello, to: sink)
      if call == .restart { try sink.restart() }
      try sink.commit(modified: nil)
    }
    #expect(failure == FailingSink.failure)
    #expect(!inner.isCommitted)
    #expect(sink.decodedDigests == nil)
    sink.discard()
    #expect(inner.isDiscarded)
  }
}

/// Fails in one of its calls, as a full disk would.
final class FailingSink: ByteSink {
  enum Call: CaseIterable { case restart, write, digests, commit }

  static let failure = TransferFailure(.diskFull, .local, "cannot write to f", hint: "free some space", errno: 28)

  let position: Int64 = 0
  private(set) var isCommitted = false
  private(set) var isDiscarded = false
  private let failing: Call

  init(at call: Call) { failing = call }

  private func fail(in call: Call) throws(TransferFailure) {
    if call == failing { throw Self.failure }
  }

  func restart() throws(TransferFailure) { try fail(in: .restart) }
  func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) { try fail(in: .write) }

  func digests() throws(TransferFailure) -> DigestSet {
    try fail(in: .digests)
    return DigestSet()
  }

  func commit(modified: Timestamp?) throws(TransferFailure) -> LocalStamp? {
    try fail(in: .commit)
    isCommitted = true
    return nil
  }

  func park() { discard() }
  func discard() { isDiscarded = true }
}
