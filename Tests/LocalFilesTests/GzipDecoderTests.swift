// Gzip streams come out whole however they are cut, and no broken one passes for whole.

import LocalFiles
import TestSupport
import Testing
import TransferModel

@Suite("Gzip decoder")
struct GzipDecoderTests {
  /// What comes out, and the verdict. The piece sizes are those of the input and of the room for output.
  func decode(
    _ bytes: [UInt8], piece: Int = .max, room: Int = GzipDecoder.outputSize
  ) throws -> (content: [UInt8], fault: GzipFault?) {
    let decoder = try GzipDecoder(outputSize: room)
    var content: [UInt8] = []
    try feed(bytes, to: decoder, piece: piece) { content.append(contentsOf: $0) }
    return (content, decoder.faultAtEnd)
  }

  func feed(
    _ bytes: [UInt8], to decoder: GzipDecoder, piece: Int = .max, emit: (UnsafeRawBufferPointer) -> Void
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      // A copy of its own, so that a read beyond the piece cannot find the next by chance.
      let next = Array(rest.prefix(piece))
      try next.withUnsafeBytes { try decoder.feed($0, emit: emit) }
      rest = rest.dropFirst(piece)
    }
  }

  @Test("N10: the vector gives hello world, in pieces of any size", arguments: 1...31)
  func vector(piece: Int) throws {
    let result = try decode(GzipSample.hello, piece: piece)
    #expect(result.content == GzipSample.helloText)
    #expect(result.fault == nil)
  }

  @Test(
    "any cut of the input and any room for the output give the same", arguments: [1, 2, 7, 1_000, .max],
    [1, 3, 258, 65_536])
  func cuts(piece: Int, room: Int) throws {
    for content in GzipSample.contents {
      let result = try decode(try GzipSample.compressed(content), piece: piece, room: room)
      #expect(result.content == content)
      #expect(result.fault == nil)
    }
  }

  @Test("members in a row give their contents in a row", arguments: [1, 5, 64, .max])
  func members(piece: Int) throws {
    var stream: [UInt8] = []
    for content in GzipSample.contents { stream += try GzipSample.compressed(content) + GzipSample.hello }
    let result = try decode(stream, piece: piece)
    #expect(result.content == GzipSample.contents.flatMap { $0 + GzipSample.helloText })
    #expect(result.fault == nil)
  }

  @Test(
    "a header with all optional parts and its checksum is read, in pieces of any size",
    arguments: [1, 2, 11, 150, .max])
  func fullHeader(piece: Int) throws {
    let member = GzipSample.withFullHeader(GzipSample.hello)
    let result = try decode(member + member, piece: piece)
    #expect(result.content == GzipSample.helloText + GzipSample.helloText)
    #expect(result.fault == nil)
  }

  @Test("ten mebibytes made by gzip come back, in pieces that are never larger than promised", arguments: [1, 9])
  func roundTrip(level: Int) throws {
    var random = SplitMix64(seed: 3)
    var content: [UInt8] = []
    while content.count < 10 << 20 {
      content += random.bytes(5_000)
      content += [UInt8](repeating: content[content.count - 7], count: 60_000)
    }
    let decoder = try GzipDecoder()
    var decoded: [UInt8] = []
    var largest = 0
    try feed(try GzipSample.compressed(content, level: level), to: decoder, piece: 16_384) {
      decoded.append(contentsOf: $0)
      largest = max(largest, $0.count)
    }
    #expect(decoded == content)
    #expect(decoder.faultAtEnd == nil)
    #expect(largest == GzipDecoder.outputSize)
  }

  @Test("a stream cut anywhere is truncated, an empty one too")
  func truncated() throws {
    let stream = GzipSample.withFullHeader(GzipSample.hello) + GzipSample.hello
    let member = stream.count - GzipSample.hello.count
    for length in 0..<stream.count where length != member {
      #expect(try decode(Array(stream.prefix(length))).fault == .truncated, "\(length) bytes")
    }
    #expect(try decode(Array(stream.prefix(member))).fault == nil)
  }

  static let broken: [(String, [UInt8], GzipFault)] = [
    ("text", Array("<html>".utf8), .notGzip),
    ("a zero", [0], .notGzip),
    ("the first magic byte, then another", [0x1F, 0x8C], .notGzip),
    ("zlib", bytes(hex: "789ccb48cdc9c95728cf2fca4901"), .notGzip),
    ("method 7", [0x1F, 0x8B, 7], .unsupported),
    ("a reserved flag", [0x1F, 0x8B, 8, 0x20], .unsupported),
    ("a wrong CRC16", GzipSample.withFullHeader(GzipSample.hello, wrongChecksum: true), .headerChecksum),
    ("a block of type 3", GzipSample.hello.prefix(10) + [0x07] + GzipSample.hello.dropFirst(11), .damagedData),
    ("a wrong CRC-32", changing(GzipSample.hello, at: 23), .contentChecksum),
    ("a wrong length", changing(GzipSample.hello, at: 27), .contentChecksum),
    ("garbage behind", GzipSample.hello + [0x41], .trailingBytes),
    ("half a magic number behind", GzipSample.hello + [0x1F, 0x41], .trailingBytes),
    ("a member after zeros", GzipSample.hello + [0, 0] + GzipSample.hello, .trailingBytes),
    ("a second member with a wrong CRC-32", GzipSample.hello + changing(GzipSample.hello, at: 23), .contentChecksum),
  ]

  static func changing(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    var changed = bytes
    changed[index] ^= 1
    return changed
  }

  @Test("bytes that are no gzip stream have their fault, whole or byte by byte, and keep it", arguments: broken)
  func faults(what: String, stream: [UInt8], fault: GzipFault) throws {
    #expect(try decode(stream).fault == fault)
    #expect(try decode(stream, piece: 1).fault == fault)
    #expect(try decode(stream + GzipSample.hello, piece: 1).fault == fault)
  }

  @Test("zeros behind the last member are padding", arguments: [1, .max])
  func padding(piece: Int) throws {
    let result = try decode(GzipSample.hello + [UInt8](repeating: 0, count: 1_000), piece: piece)
    #expect(result.content == GzipSample.helloText)
    #expect(result.fault == nil)
  }

  @Test("P02: of two layers one is removed")
  func oneLayer() throws {
    #expect(try decode(try GzipSample.compressed(GzipSample.hello)).content == GzipSample.hello)
  }

  @Test("no flipped bit gives other content and no fault")
  func flippedBits() throws {
    let content = Array(GzipSample.contents[1].prefix(3_000))
    let stream = try GzipSample.compressed(content)
    for bit in 0..<stream.count * 8 {
      var flipped = stream
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let result = try decode(flipped, piece: 100)
      // Some bits carry nothing: time and system in the header, the rest of the last byte of deflate data.
      #expect(result.fault != nil || result.content == content, "bit \(bit)")
    }
  }

  @Test("after a reset in the middle, or after a fault, the next stream is decoded")
  func reset() throws {
    let decoder = try GzipDecoder()
    for cut in [5, 20, 31] {
      try feed(Array(GzipSample.hello.prefix(cut)) + [1], to: decoder) { _ in }
      decoder.reset()
      #expect(decoder.faultAtEnd == .truncated)
      var content: [UInt8] = []
      try feed(GzipSample.hello, to: decoder) { content.append(contentsOf: $0) }
      #expect(content == GzipSample.helloText)
      #expect(decoder.faultAtEnd == nil)
    }
  }

  @Test("a fault says what is wrong, where, and what to do; it is permanent", arguments: GzipFault.allCases)
  func failures(fault: GzipFault) {
    let failure = fault.failure(at: "gs://b/o")
    #expect(failure.reason == .decodeFailed)
    #expect(failure.failureClass == .permanent)
    #expect(failure.message.hasPrefix("gs://b/o: stored as gzip, but "))
    #expect(failure.hint != nil)
  }
}
