// Metadata documents, read leniently: conformance group F, and the links of group L.

import StorageCore
import Testing
import TransferModel

private func parse(_ json: String) throws -> ObjectMetadata { try ObjectMetadata(parsing: Array(json.utf8)) }

private let address = StorageAddress(bucket: "bucket", object: ObjectName("a"))

@Suite("Metadata")
struct ObjectMetadataTests {
  @Test("F01: an empty object has nothing")
  func empty() throws {
    let metadata = try parse("{}")
    #expect(metadata.bucket == nil && metadata.size == nil && metadata.generation == nil && metadata.name == nil)
    #expect(metadata.customMetadata == nil)
    #expect(metadata.downloadTokens.isEmpty)
    #expect(metadata.version == ObjectVersion())
  }

  @Test(
    "F02 F03 F05 F06: sizes",
    arguments: [
      ("\"11\"", 11 as Int64?), ("11", 11), ("\"abc\"", nil), ("null", nil), ("1.5", nil), ("-1", nil), ("\"-1\"", nil),
      ("[]", nil),
      ("\"9223372036854775807\"", .max), ("\"9223372036854775808\"", nil), ("9223372036854775807", .max), ("\"0\"", 0),
    ])
  func sizes(json: String, size: Int64?) throws {
    #expect(try parse("{\"size\":\(json)}").size == size)
  }

  @Test("F04 F07 F08 F11–F13 F17: single fields")
  func fields() throws {
    #expect(try parse(#"{"generation":"1700000000123456"}"#).generation == 1_700_000_000_123_456)
    #expect(try parse(#"{"name":"a/b/c.txt"}"#).name == ObjectName("a/b/c.txt"))
    #expect(try parse(#"{"timeCreated":"2016-03-01T20:16:01.673Z"}"#).timeCreated?.nanoseconds == 673_000_000)
    #expect(try parse(#"{"updated":"2016-03-01T20:16:01Z"}"#).updated?.nanoseconds == 0)
    #expect(try parse(#"{"updated":"2016-03-01T20:16:01.673"}"#).updated == nil)
    #expect(try parse(#"{"updated":5}"#).updated == nil)
    #expect(try parse(#"{"contentEncoding":"identity"}"#).contentEncoding == "identity")
  }

  @Test("F15 F16: custom metadata keeps what is text")
  func customMetadata() throws {
    #expect(try parse(#"{"metadata":{}}"#).customMetadata == [:])
    #expect(try parse(#"{"metadata":{"a":"1","b":2}}"#).customMetadata == ["a": "1"])
    #expect(try parse(#"{"metadata":"x"}"#).customMetadata == nil)
  }

  @Test("F18: unknown keys, nested or not, are ignored")
  func unknown() throws {
    #expect(try parse(#"{"x":[{"y":{}}],"size":"1","z":null}"#).size == 1)
  }

  @Test(
    "F19 F20: what is no object is shown, redacted",
    arguments: [
      ("[]", "Invalid data returned from the server: []"), ("\"\"", "Invalid data returned from the server: \"\""),
      ("null", "Invalid data returned from the server: null"),
      ("not json", "Invalid data returned from the server: not json"),
      ("", "Invalid data returned from the server: "), ("{\"a\":1", "Invalid data returned from the server: {\"a\":1"),
      ("token=s3cret", "Invalid data returned from the server: token=REDACTED"),
    ])
  func invalid(body: String, message: String) {
    let failure = #expect(throws: TransferFailure.self) { try parse(body) }
    #expect(failure?.message == message)
    #expect(failure?.reason == .unexpectedContent)
  }

  @Test("F20: bytes that are no text are not shown")
  func binary() {
    let failure = #expect(throws: TransferFailure.self) { try ObjectMetadata(parsing: [0xFF, 0xFE]) }
    #expect(failure?.message == "Invalid data returned from the server: <unstringable data>")
  }

  @Test("F23 F24 U01: the version, of a composite object and of an emulator's")
  func version() throws {
    let json = """
      {"name":"images/stars.jpg","bucket":"demo","generation":"1700000000123456","metageneration":"2","size":"11",
       "md5Hash":"XrY7u+Ae7tCTyyK7j1rNww==","crc32c":"yZRlqg==","contentEncoding":"identity","etag":"CMC",
       "updated":"2024-01-02T03:04:05.678Z"}
      """
    let metadata = try parse(json)
    #expect(metadata == (try parse(json)))
    #expect(metadata.version.digests.crc32c == Digest(crc32c: 0xC994_65AA))
    #expect(metadata.version.digests.md5?.hex == "5eb63bbbe01eeed093cb22bb8f5acdc3")
    #expect(metadata.version.generation == 1_700_000_000_123_456)
    #expect(metadata.version.etag == nil)
    #expect(metadata.version.contentEncoding == nil)
    #expect(metadata.storedEncoding == .identity)
    let composite = try parse(#"{"crc32c":"yZRlqg=="}"#)
    #expect(composite.version.digests == DigestSet([Digest(crc32c: 0xC994_65AA)]))
    #expect(try parse(#"{"crc32c":"3381945770"}"#).version.digests == composite.version.digests)
    #expect(try parse(#"{"contentEncoding":"gzip"}"#).storedEncoding == .gzip)
  }

  @Test(
    "L02 L03: the first token makes the link",
    arguments: [
      (#"{"downloadTokens":"t1,t2,t3"}"#, "t1" as String?), ("{}", nil), (#"{"downloadTokens":""}"#, nil),
      (#"{"downloadTokens":5}"#, nil), (#"{"downloadTokens":[]}"#, nil),
    ])
  func tokens(json: String, token: String?) throws {
    let url = try parse(json).downloadURL(of: address, at: ObjectService(.firebase))
    #expect(url?.query == token.map { "alt=media&token=\($0)" })
  }

  @Test("L04 L09: bucket and name of the answer win, else those of the reference")
  func linkParts() throws {
    let service = ObjectService(.firebase)
    let own = try parse(#"{"downloadTokens":"t"}"#).downloadURL(of: address, at: service)
    #expect(own?.path == "/v0/b/bucket/o/a")
    let other = try parse(#"{"downloadTokens":"t","bucket":"bucket#/o/other","name":"x/y"}"#)
    #expect(other.downloadURL(of: address, at: service)?.path == "/v0/b/bucket%23%2Fo%2Fother/o/x%2Fy")
  }
}
