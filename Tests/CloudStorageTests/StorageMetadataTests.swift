// Metadata as callers see it, and how it is changed. Conformance groups F and E.

@testable import CloudStorage
import Foundation
import StorageCore
import Testing
import TransferModel

private func metadata(_ json: String) throws -> StorageMetadata {
  StorageMetadata(try ObjectMetadata(parsing: Array(json.utf8)))
}

private func changes(_ metadata: StorageMetadata) throws -> String? {
  metadata.changes().map { String(decoding: $0, as: UTF8.self) }
}

@Suite("Metadata")
struct StorageMetadataTests {
  @Test("F01: of an empty answer nothing is known")
  func empty() throws {
    let metadata = try metadata("{}")
    #expect(metadata.bucket == "" && metadata.size == 0 && metadata.generation == 0 && metadata.metageneration == 0)
    #expect(metadata.path == nil && metadata.name == nil && metadata.contentType == nil)
    #expect(metadata.timeCreated == nil && metadata.customMetadata == nil && metadata.md5Hash == nil)
    #expect(metadata.dictionaryRepresentation().isEmpty)
  }

  @Test(
    "F02 F03 F05 F06: sizes",
    arguments: [
      (#""11""#, 11), ("11", 11), (#""abc""#, 0), ("null", 0), ("1.5", 0),
      (#""9223372036854775807""#, Int64.max), (#""9223372036854775808""#, 0),
    ])
  func sizes(value: String, expected: Int64) throws {
    #expect(try metadata(#"{"size":\#(value)}"#).size == expected)
  }

  @Test("F04 F07 F17 F24: fields")
  func fields() throws {
    let metadata = try metadata(
      #"""
      {"generation":"1700000000123456","name":"a/b/c.txt","contentEncoding":"identity","crc32c":"yZRlqg==",
       "storageClass":"STANDARD","etag":"CMC","unknown":{"a":[1]}}
      """#)
    #expect(metadata.generation == 1_700_000_000_123_456)
    #expect(metadata.path == "a/b/c.txt" && metadata.name == "c.txt")
    #expect(metadata.contentEncoding == "identity")
    #expect(metadata.md5Hash == nil && metadata.crc32c == "yZRlqg==")
    #expect(metadata.storageClass == "STANDARD" && metadata.etag == "CMC")
  }

  @Test(
    "F08–F12: instants, to the millisecond",
    arguments: [
      ("2016-03-01T20:16:01.673Z", 1_456_863_361.673), ("2016-03-01T20:16:01.673123Z", 1_456_863_361.673),
      ("2016-03-01T20:16:01.6Z", 1_456_863_361.6), ("2016-03-01T20:16:01Z", 1_456_863_361),
      ("2016-03-01T20:16:01.673-07:00", 1_456_888_561.673), ("2016-03-01T20:16:01.673-0700", 1_456_888_561.673),
    ])
  func dates(text: String, expected: Double) throws {
    let metadata = try metadata(#"{"timeCreated":"\#(text)","updated":"\#(text)"}"#)
    #expect(metadata.timeCreated == Date(timeIntervalSince1970: expected))
    #expect(metadata.updated == metadata.timeCreated)
  }

  @Test(
    "F13: what is no instant is none",
    arguments: [#""2016-03-01T20:16:01.673""#, #""yesterday""#, "5"])
  func badDates(value: String) throws {
    #expect(try metadata(#"{"timeCreated":\#(value)}"#).timeCreated == nil)
  }

  @Test("F14 F21 F22: the dictionary has the service's keys and leaves out what is not known")
  func dictionary() throws {
    let full = try metadata(
      #"""
      {"name":"a/b","bucket":"bucket","size":"11","generation":"7","timeCreated":"2016-03-01T20:16:01.673999Z",
       "metadata":{"k":"v"},"downloadTokens":"secret"}
      """#
    ).dictionaryRepresentation()
    #expect(full["size"] as? Int64 == 11)
    #expect(full["generation"] as? String == "7")
    #expect(full["name"] as? String == "a/b")
    #expect(full["timeCreated"] as? String == "2016-03-01T20:16:01.673Z")
    #expect(full["metadata"] as? [String: String] == ["k": "v"])
    #expect(full.count == 6)
    let zero = try metadata(#"{"size":0,"generation":"0"}"#).dictionaryRepresentation()
    #expect(zero.isEmpty)
  }

  @Test("F15 F16: custom metadata keeps its texts")
  func custom() throws {
    #expect(try metadata(#"{"metadata":{}}"#).customMetadata == [:])
    #expect(try metadata(#"{"metadata":{"a":"1","b":2}}"#).customMetadata == ["a": "1"])
  }

  @Test("F23: the same answer gives equal metadata")
  func equality() throws {
    let json = #"{"name":"a","size":"3","downloadTokens":"one"}"#
    #expect(try metadata(json) == (try metadata(json)))
    #expect(try metadata(json).hashValue == metadata(json).hashValue)
    #expect(try metadata(json) == metadata(#"{"name":"a","size":"3","downloadTokens":"two"}"#))
    #expect(try metadata(json) != metadata(#"{"name":"a","size":"4"}"#))
    let shown = try "\(metadata(json))"
    #expect(!shown.contains("one"))
  }

  @Test("F25: what comes from the service is a file")
  func isFile() throws {
    #expect(try metadata("{}").isFile)
    #expect(!StorageMetadata().isFile && !StorageMetadata().isFolder)
  }

  @Test("E03 E04 E05: an update says what has changed and nothing else")
  func changed() throws {
    let metadata = try metadata(
      #"""
      {"name":"a","bucket":"bucket","size":11,"contentType":"text/plain","cacheControl":"no-store","contentLanguage":"en",
       "metadata":{"a":"1","b":"2","c":"4"}}
      """#)
    #expect(try changes(metadata) == nil)
    metadata.contentType = "x/y"
    #expect(try changes(metadata) == #"{"contentType":"x/y"}"#)
    metadata.cacheControl = nil
    metadata.customMetadata = ["b": "3", "c": "4"]
    #expect(
      try changes(metadata) == #"{"cacheControl":null,"contentType":"x/y","metadata":{"a":null,"b":"3"}}"#)
    metadata.contentType = "text/plain"
    metadata.cacheControl = "no-store"
    metadata.customMetadata = nil
    #expect(try changes(metadata) == #"{"metadata":{"a":null,"b":null,"c":null}}"#)
  }

  @Test("an update tells the two spellings of one letter apart")
  func spelling() throws {
    let metadata = try metadata(#"{"contentDisposition":"inline; filename=\#u{e9}"}"#)
    metadata.contentDisposition = "inline; filename=e\u{301}"
    #expect(try changes(metadata) != nil)
  }

  @Test("a fresh one says all that was set; a copy has the same original and its own changes")
  func fresh() throws {
    let metadata = StorageMetadata()
    #expect(try changes(metadata) == nil)
    metadata.customMetadata = ["k": "v"]
    #expect(try changes(metadata) == #"{"metadata":{"k":"v"}}"#)
    let copy = metadata.copy()
    copy.customMetadata = nil
    #expect(try changes(copy) == nil)
    #expect(metadata.customMetadata == ["k": "v"])
  }
}
