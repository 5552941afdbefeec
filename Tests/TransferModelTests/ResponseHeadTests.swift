// What response heads say: conformance groups O and P, ranges, and header fields themselves.

import Testing
import TransferModel

private func head(_ status: Int = 200, length: Int64? = nil, _ fields: (String, String)...) -> HTTPResponseHead {
  HTTPResponseHead(
    status: status, fields: HTTPFields(fields.map { HTTPFields.Field($0.0, $0.1) }), contentLength: length)
}

@Suite("The version in a response head")
struct ObjectVersionHeadTests {
  @Test("everything there is, is read")
  func everything() throws {
    let (version, warnings) = try ObjectVersion.read(
      head(
        200, length: 11, ("X-Goog-Generation", "1700000000123456"), ("ETag", "\"abc\""),
        ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("x-goog-stored-content-length", "11"),
        ("x-goog-hash", "crc32c=yZRlqg=="), ("x-goog-hash", "md5=XrY7u+Ae7tCTyyK7j1rNww=="),
        ("x-goog-stored-content-encoding", "identity")))
    #expect(version.generation == 1_700_000_000_123_456)
    #expect(version.etag == "\"abc\"")
    #expect(version.lastModified?.seconds == 784_111_777)
    #expect(version.size == 11)
    #expect(version.digests.all.map(\.hex) == ["c99465aa", "5eb63bbbe01eeed093cb22bb8f5acdc3"])
    #expect(version.contentEncoding == nil)
    #expect(warnings.isEmpty)
  }

  @Test("O09 O10 O11 U02 U08: what is missing, empty or unknown is absent")
  func tolerated() throws {
    let (version, _) = try ObjectVersion.read(
      head(
        200, ("x-goog-metadatageneration", "3"), ("Content-Encoding", ""), ("x-goog-generation", "x"),
        ("ETag", "nJfG8H"),
        ("Last-Modified", "yesterday")))
    #expect(version == ObjectVersion(etag: "nJfG8H"))
    #expect(try ObjectVersion.read(head(200, ("x-goog-generation", "12"))).version.generation == 12)
    #expect(try ObjectVersion.read(head()).version == ObjectVersion())
  }

  private static let sizes: [(HTTPResponseHead, Int64?)] = [
    (head(200, length: 7), 7), (head(200, length: 31, ("x-goog-stored-content-length", "11")), 11),
    (head(206, length: 4, ("Content-Range", "bytes 1-4/9")), 9),
    (head(206, length: 4, ("Content-Range", "bytes 1-4/*")), nil),
    (head(206, length: 4), nil), (head(416, length: 100, ("Content-Range", "bytes */9")), 9),
    (head(404, length: 9), nil),
    (head(304, length: 9), nil), (head(200, length: 9, ("Content-Range", "bytes 0-3/4")), 9), (head(), nil),
  ]

  @Test(
    "the stored size: the stored length wins, then the range's total, then the length of a 200",
    arguments: sizes)
  func size(head: HTTPResponseHead, size: Int64?) throws {
    #expect(try ObjectVersion.read(head).version.size == size)
  }

  @Test("O05 N14: a contradiction throws, an unreadable value warns")
  func hashes() throws {
    #expect(throws: GoogHash.Contradiction(algorithm: .crc32c)) {
      try ObjectVersion.read(head(200, ("x-goog-hash", "crc32c=yZRlqg=="), ("x-goog-hash", "crc32c=AAAAAA==")))
    }
    let reading = try ObjectVersion.read(head(200, ("x-goog-hash", "crc32c=AAAA")))
    #expect(reading.version.digests.isEmpty)
    #expect(reading.warnings.count == 1)
  }
}

@Suite("Stored and served form")
struct ServedFormTests {
  private static let storedGzip = ("x-goog-stored-content-encoding", "gzip")
  private static let storedIdentity = ("x-goog-stored-content-encoding", "identity")
  private static let gzip = ("Content-Encoding", "gzip")

  @Test(
    "P01 P03 P04 P09: is told from the head, then from what is known",
    arguments: [
      (head(), StoredEncoding.unknown, ServedForm.stored), (head(200, storedGzip, gzip), .unknown, .stored),
      (head(200, storedGzip), .unknown, .decompressed),
      (head(200, storedGzip, ("Content-Encoding", "")), .unknown, .decompressed),
      (head(200, storedIdentity), .unknown, .stored), (head(200, storedIdentity, gzip), .unknown, .compressed),
      (head(200, ("Warning", "214 UploadServer gunzipped")), .unknown, .decompressed),
      (
        head(200, storedGzip, gzip, ("X-GUploader-Response-Body-Transformations", "gunzipped")), .unknown, .decompressed
      ),
      (head(), .gzip, .decompressed), (head(200, gzip), .gzip, .stored), (head(200, gzip), .identity, .compressed),
      (head(200, gzip), .unknown, .stored), (head(200, storedIdentity), .gzip, .stored),
      (head(200, ("Content-Type", "application/gzip")), .identity, .stored),
      (head(200, ("Content-Encoding", "br")), .identity, .stored),
    ])
  func form(head: HTTPResponseHead, known: StoredEncoding, form: ServedForm) {
    #expect(ServedForm(of: head, known: known) == form)
  }

  @Test(
    "what is asked for follows from how it is stored",
    arguments: [
      ("gzip" as String?, "gzip"), ("GZIP", "gzip"), ("x-gzip", "gzip"), (nil, "identity"), ("", "identity"),
      ("identity", "identity"),
      ("br", "identity"),
    ])
  func acceptEncoding(contentEncoding: String?, sent: String) {
    #expect(StoredEncoding(contentEncoding: contentEncoding).acceptEncoding == sent)
    #expect(StoredEncoding.unknown.acceptEncoding == "identity")
  }
}

@Suite("Header fields")
struct HTTPFieldsTests {
  private let fields = HTTPFields([
    .init("X-One", "1"), .init("x-two", ""), .init("X-ONE", "2"), .init("X-Two", "3"),
  ])

  @Test("O07: names in any case, the first that is not absent, all in order")
  func lookup() {
    #expect(fields["x-one"] == "1")
    #expect(fields.values("X-one") == ["1", "2"])
    #expect(fields["none"] == nil)
    #expect(fields.values("X-TWO") == ["3"])
    #expect(fields.all.count == 4)
  }

  @Test("O11: an empty field counts as absent")
  func empty() {
    #expect(fields["x-two"] == nil)
  }

  @Test("names differ unless letters do only in case")
  func foreignNames() {
    #expect(HTTPFields([.init("A@", "x")])["A`"] == nil)
    #expect(HTTPFields([.init("X-One", "x")])["X_One"] == nil)
  }
}

@Suite("Ranges")
struct ByteRangeTests {
  @Test("is written with both ends or one")
  func written() {
    #expect(ByteRange(first: 5).fieldValue == "bytes=5-")
    #expect(ByteRange(first: 1, last: 4).fieldValue == "bytes=1-4")
  }

  @Test(
    "Q01–Q03: Content-Range",
    arguments: [
      ("bytes 1-4/9", ContentRange.bytes(first: 1, last: 4, total: 9) as ContentRange?),
      ("BYTES 0-8/9", .bytes(first: 0, last: 8, total: 9)), ("bytes 0-0/*", .bytes(first: 0, last: 0, total: nil)),
      ("bytes */9", .unsatisfied(total: 9)), ("bytes */0", .unsatisfied(total: 0)), ("bytes */*", nil),
      ("items 0-1/2", nil),
      ("bytes 4-1/9", nil), ("bytes 0-9/9", nil), ("bytes 0-8", nil), ("bytes=0-8/9", nil), ("bytes -8/9", nil),
      ("bytes 0-/9", nil),
      ("bytes +0-8/9", nil), ("bytes 0-8/9/9", nil), ("bytes 0-9223372036854775808/*", nil), ("", nil), ("bytes", nil),
    ])
  func contentRange(text: String, expected: ContentRange?) {
    #expect(ContentRange(parsing: text) == expected)
  }
}
