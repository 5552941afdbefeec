import StorageEmulator
import Testing

/// Ranges, conditions and transcoding of media answers.
struct RangeAndConditionTests {
  @Test(
    arguments: [
      ("bytes=1-4", 206, "bytes 1-4/9", "omet"), ("bytes=0-8", 206, "bytes 0-8/9", "something"),
      ("bytes=0-100", 206, "bytes 0-8/9", "something"), ("bytes=4-", 206, "bytes 4-8/9", "thing"),
      ("bytes=50-60", 416, "bytes */9", nil), ("bytes=9-", 416, "bytes */9", nil), ("bytes=6-2", 200, nil, "something"),
      ("bytes=x", 200, nil, "something"), ("items=0-1", 200, nil, "something"),
      ("bytes=0-1,3-4", 200, nil, "something"),
      ("bytes=-3", 206, "bytes 6-8/9", "ing"), ("bytes=-100", 206, "bytes 0-8/9", "something"),
      ("bytes=-0", 416, "bytes */9", nil),
    ] as [(String, Int, String?, String?)])
  func `Q01 Q02 Q03 Q04 Q05 ranges`(range: String, status: Int, contentRange: String?, body: String?) throws {
    let server = try StorageEmulator.holding("a")
    for path in ["/v0/b/b/o/a?alt=media", "/storage/v1/b/b/o/a?alt=media", "/b/a"] {
      let response = try server.ask(path, "Range: " + range)
      #expect(response.status == status)
      #expect(response["Content-Range"] == contentRange)
      if let body { #expect(response.text == body) }
    }
  }

  @Test func `Q06 no range of an empty object can be satisfied`() throws {
    let server = try StorageEmulator()
    server.objects.put("b", "empty", [])
    let whole = try server.ask("/b/empty")
    #expect(whole.status == 200 && whole["Content-Length"] == "0")
    #expect(whole["x-goog-hash"] == "crc32c=AAAAAA==,md5=1B2M2Y8AsgTpgAmY7PhCfg==")
    #expect(try server.ask("/b/empty", "Range: bytes=0-").status == 416)
  }

  @Test func `If-Range honours the range only for the same version`() throws {
    let server = try StorageEmulator.holding("a")
    let tag = try #require(try server.ask("/b/a")["ETag"])
    #expect(try server.ask("/b/a", "Range: bytes=1-4", "If-Range: " + tag).status == 206)
    #expect(try server.ask("/b/a", "Range: bytes=1-4", "If-Range: \"other\"").status == 200)
  }

  @Test(arguments: [
    ("ifGenerationMatch=7", 200), ("ifGenerationMatch=8", 412), ("ifGenerationMatch=0", 412),
    ("ifGenerationNotMatch=7", 304), ("ifGenerationNotMatch=8", 200), ("ifMetagenerationMatch=2", 412),
    ("ifMetagenerationNotMatch=1", 304), ("generation=7", 200), ("generation=8", 404), ("generation=x", 400),
  ])
  func `Q14 Q16 Q17 conditions on the generation`(query: String, status: Int) throws {
    let server = try StorageEmulator()
    server.objects.put("b", "a", text: "something", generation: 7)
    #expect(try server.ask("/storage/v1/b/b/o/a?alt=media&" + query).status == status)
    #expect(try server.ask("/storage/v1/b/b/o/a?" + query).status == status)
  }

  @Test func `conditions on tags and dates`() throws {
    let server = try StorageEmulator.holding("a")
    let now = try server.ask("/b/a")
    let tag = try #require(now["ETag"])
    let date = try #require(now["Last-Modified"])
    #expect(try server.ask("/b/a", "If-None-Match: " + tag).status == 304)
    #expect(try server.ask("/b/a", "If-None-Match: W/" + tag).status == 304)
    #expect(try server.ask("/b/a", "If-None-Match: \"x\", " + tag).status == 304)
    #expect(try server.ask("/b/a", "If-None-Match: \"x\"").status == 200)
    #expect(try server.ask("/b/a", "If-Match: \"x\"").status == 412)
    #expect(try server.ask("/b/a", "If-Match: *").status == 200)
    #expect(try server.ask("/b/a", "If-Modified-Since: " + date).status == 304)
    #expect(try server.ask("/b/a", "If-Modified-Since: Tue, 15 Nov 1994 08:12:31 GMT").status == 200)
    #expect(try server.ask("/b/a", "If-Unmodified-Since: Tue, 15 Nov 1994 08:12:31 GMT").status == 412)
    // Entity tags go before dates.
    #expect(try server.ask("/b/a", "If-None-Match: \"x\"", "If-Modified-Since: " + date).status == 200)
  }

  /// `hello world`, compressed with dynamic settings off and on by another implementation.
  private static let gzip: [UInt8] = [
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0x28, 0xCF, 0x2F, 0xCA, 0x49, 1, 0, 0x85,
    0x11, 0x4A, 0x0D, 0x0B, 0, 0, 0,
  ]

  @Test func `P03 P08 gzip is decoded for clients that do not take it, without length and ranges`() throws {
    let server = try StorageEmulator()
    server.objects.put("b", "a", Self.gzip, ObjectMetadata(contentType: "text/plain", contentEncoding: "gzip"))
    let decoded = try server.ask("/b/a", "Range: bytes=2-4")
    #expect(decoded.status == 200)
    #expect(decoded.text == "hello world")
    #expect(decoded["Content-Encoding"] == nil && decoded["Content-Length"] == nil)
    #expect(decoded["x-goog-stored-content-encoding"] == "gzip")
    #expect(decoded["x-goog-stored-content-length"] == "31")
    #expect(decoded["x-goog-hash"]?.contains("crc32c=Z+QuMw==") == true)
  }

  @Test func `P01 P07 gzip is sent as stored to clients that take it, with ranges`() throws {
    let server = try StorageEmulator()
    server.objects.put("b", "a", Self.gzip, ObjectMetadata(contentEncoding: "gzip"))
    let stored = try server.ask("/b/a", "Accept-Encoding: gzip")
    #expect(stored.body == Self.gzip)
    #expect(stored["Content-Encoding"] == "gzip" && stored["Content-Length"] == "31")
    #expect(try server.ask("/b/a", "Accept-Encoding: gzip", "Range: bytes=-3").body == Self.gzip.suffix(3))
    #expect(try server.ask("/b/a", "Accept-Encoding: gzip;q=0").text == "hello world")
  }

  @Test func `no-transform keeps the stored bytes`() throws {
    let server = try StorageEmulator()
    server.objects.put("b", "a", Self.gzip, ObjectMetadata(contentEncoding: "gzip", cacheControl: "no-transform"))
    #expect(try server.ask("/b/a").body == Self.gzip)
  }

  @Test func `composite objects have no md5`() throws {
    let server = try StorageEmulator()
    server.objects.put("b", "a", Array("something".utf8), ObjectMetadata(componentCount: 2))
    #expect(try server.ask("/b/a")["x-goog-hash"] == "crc32c=4sJ49Q==")
    #expect(!(try server.ask("/storage/v1/b/b/o/a").text.contains("md5Hash")))
  }
}
