// The lock file: its bytes, what is said of a broken one, and what it binds.

import Foundation
import MirrorPlan
import Testing
import TransferModel

@Suite("Lock file")
struct LockFileTests {
  typealias F = Facts

  static let entries = [
    LockEntry(
      destination: F.path("z/last"), source: "https://a.example/o", etag: "\"e\"", size: 5,
      digests: DigestSet([F.sha256A])),
    LockEntry(
      destination: F.path("a"), source: "gs://b/a", generation: 9_007_199_254_740_993, size: 3,
      digests: DigestSet([F.crcA, F.md5A])),
    LockEntry(destination: F.path("a.txt"), source: "gs://b/ü", generation: 7, contentEncoding: "gzip"),
    LockEntry(destination: F.path("a/b"), source: "gs://b/a/b", generation: 8, size: 0),
  ]

  static let document = #"""
    {
      "schema": "mirror.lock/1",
      "entries": [
        {"to": "a", "ref": "gs://b/a", "generation": "9007199254740993", "size": 3, "hashes": {"crc32c": "aaaaaaaa", "md5": "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"}},
        {"to": "a.txt", "ref": "gs://b/ü", "generation": "7", "content_encoding": "gzip", "hashes": {}},
        {"to": "a/b", "ref": "gs://b/a/b", "generation": "8", "size": 0, "hashes": {}},
        {"to": "z/last", "ref": "https://a.example/o", "etag": "\"e\"", "size": 5, "hashes": {"sha256": "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2"}}
      ]
    }

    """#

  private func text(_ entries: [LockEntry]) -> String {
    var draft = LockDraft()
    for entry in entries { draft.add(entry) }
    return String(decoding: draft.bytes, as: UTF8.self)
  }

  private func read(_ text: String) throws -> LockFile {
    let (lock, findings) = LockReader.read(Array(text.utf8))
    #expect(findings == [])
    return try #require(lock)
  }

  @Test("the document is the same byte for byte, in whatever order the entries came")
  func bytes() {
    #expect(text(Self.entries) == Self.document)
    #expect(text(Self.entries.reversed()) == Self.document)
    #expect(text([]) == "{\n  \"schema\": \"mirror.lock/1\",\n  \"entries\": []\n}\n")
  }

  @Test("what was written is read back, and every entry is found by its destination")
  func roundTrip() throws {
    let lock = try read(Self.document)
    #expect(lock.count == 4)
    for entry in Self.entries { #expect(lock.entry(for: entry.destination) == entry) }
    #expect(lock.entry(for: F.path("a/c")) == nil)
    #expect(lock.entry(for: F.path("A")) == nil)
    #expect((0..<4).map { lock.entry(at: $0)?.destination.text } == ["a", "a.txt", "a/b", "z/last"])
  }

  @Test("entries in another order and another layout are the same lock file; unknown members are stepped over")
  func tolerance() throws {
    let lock = try read(
      #"{"note": [1], "entries": [{"ref": "gs://b/y", "to": "y", "new": {}, "generation": "2"},"#
        + "\r\n\r\n" + #"{"to":"x","ref":"gs://b/x","generation":"1"}], "schema": "mirror.lock/1"}"#)
    #expect((0..<2).map { lock.entry(at: $0)?.destination.text } == ["x", "y"])
  }

  @Test("P53: names that Swift takes for equal are two entries")
  func bytewiseNames() throws {
    let lock = try read(
      text([
        LockEntry(destination: F.path("e\u{301}"), source: "gs://b/1", generation: 1),
        LockEntry(destination: F.path("\u{e9}"), source: "gs://b/2", generation: 2),
      ]))
    #expect(lock.entry(for: F.path("\u{e9}"))?.generation == 2)
    #expect(lock.entry(for: F.path("e\u{301}"))?.generation == 1)
  }

  struct Broken: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var line: Int
    var message: String
    var testDescription: String { name }

    static func of(_ name: String, _ replacing: String, _ with: String, line: Int, _ message: String) -> Broken {
      Broken(
        name: name, text: LockFileTests.document.replacingOccurrences(of: replacing, with: with), line: line,
        message: message)
    }
  }

  static let broken: [Broken] = [
    .of(
      "a conflict", "    {\"to\": \"a\"", "<<<<<<< HEAD\n    {\"to\": \"a\"", line: 4, "a merge conflict that git left"),
    .of("a comma is missing", "\"hashes\": {}},", "\"hashes\": {}}", line: 6, "expected ','"),
    .of("another schema", "mirror.lock/1", "mirror.lock/9", line: 2, "this is `mirror.lock/9`"),
    .of("an unsafe name", "\"a/b\", \"ref\"", "\"../b\", \"ref\"", line: 6, "`to` is no safe path"),
    .of("no reference", "\"ref\": \"gs://b/a\", ", "", line: 4, "an entry needs `to` and `ref`"),
    .of("a number for a generation", "\"generation\": \"7\"", "\"generation\": 7", line: 5, "expected a string"),
    .of("a generation of letters", "\"generation\": \"7\"", "\"generation\": \"x\"", line: 5, "`generation` is"),
    .of("a size below zero", "\"size\": 5", "\"size\": -5", line: 7, "`size` is a number of bytes"),
    .of("a short digest", "aaaaaaaa", "aaaa", line: 4, "crc32c checksum"),
    .of("twice", "\"to\": \"a/b\"", "\"to\": \"a\"", line: 6, "`a` is locked twice, first in line 4"),
    .of("cut short", "    {\"to\": \"z/last\"", "", line: 7, "expected"),
    Broken(name: "empty", text: "", line: 1, message: "the document ends too early"),
    Broken(name: "no entries", text: #"{"schema": "mirror.lock/1"}"#, line: 1, message: "has no `entries`"),
  ]

  @Test("what is wrong is said with its line", arguments: broken)
  func diagnostics(_ broken: Broken) {
    let (lock, findings) = LockReader.read(Array(broken.text.utf8))
    #expect(lock == nil)
    #expect(findings.first?.mark.line == broken.line)
    #expect(findings.first?.message.contains(broken.message) == true, "\(findings)")
  }

  @Test("the schema knows what the writer writes")
  func schema() throws {
    let schema = try SchemaFile.named("lock.schema.json")
    #expect(try schema.faults(of: Self.document) == [])
    #expect(try schema.faults(of: #"{"schema": "other"}"#).count == 2, "the walker finds faults")
  }

  // MARK: Promises

  @Test("a service's digests are locked as they are; where it names none, what was proven here is")
  func promise() {
    let entry = { (kind: LockEntry.Kind, version: ObjectVersion, proven: [Digest]) in
      LockEntry(F.path("d"), source: "s", kind, version: version, proven: DigestSet(proven))
    }
    let stored = entry(.storage, F.version(generation: 5, etag: "x", size: 3, [F.crcA]), [F.sha256A])
    #expect(stored?.generation == 5 && stored?.etag == nil && stored?.digests == DigestSet([F.crcA]))
    let web = entry(.web, F.version(generation: 5, etag: "\"x\"", size: 3), [F.sha256A])
    #expect(web?.generation == nil && web?.etag == "\"x\"" && web?.digests == DigestSet([F.sha256A]))
    let mirrors = entry(.mirrors, F.version(generation: 5, etag: "\"x\"", size: 3, [F.crcA]), [])
    #expect(mirrors?.generation == nil && mirrors?.etag == nil && mirrors?.digests == DigestSet([F.crcA]))
    #expect(entry(.web, F.version(etag: "\"x\"", size: 3), []) == nil, "an ETag alone is no promise of bytes")
    #expect(entry(.storage, F.version(size: 3), []) == nil)
  }

  @Test("an entry is bound to the version that is locked")
  func binding() throws {
    let lock = LockEntry(
      destination: F.path("d/f"), source: "gs://b/o", generation: 5, size: 3, digests: DigestSet([F.crcA]))
    let bound = try F.entry([F.object]).bound(to: lock)
    #expect(bound.generation == 5 && bound.size == 3 && bound.checksumURL == nil)
    #expect(throws: TransferFailure.self) { try F.entry([F.web]).bound(to: lock) }
    #expect(throws: TransferFailure.self) { try F.entry([F.object], generation: 4).bound(to: lock) }
    #expect(throws: TransferFailure.self) { try F.entry([F.object], pins: [F.crcB]).bound(to: lock) }
    #expect(throws: TransferFailure.self) { try F.entry([F.object], size: 4).bound(to: lock) }
    #expect(throws: Never.self) { try F.entry([F.object], pins: [F.crcA], size: 3, generation: 5).bound(to: lock) }
  }

  @Test(
    "a download that cannot bring the locked version has drifted",
    arguments: [
      (ReasonCode.notFound, true), (.preconditionFailed, true), (.checksumMismatch, true), (.sizeMismatch, true),
      (.changedDuringTransfer, true), (.serverError, false), (.diskFull, false), (.unauthorized, false),
      (.cancelled, false),
    ])
  func drift(reason: ReasonCode, isDrift: Bool) {
    let lock = LockEntry(destination: F.path("d/f"), source: "gs://b/o", generation: 5)
    let failure = TransferFailure(reason, .permanent, "it did not work", httpStatus: 404)
    let found = lock.failure(failure)
    #expect((found.reason == .lockDrift) == isDrift)
    #expect(isDrift ? found.hint?.contains("--update-lock=d/f") == true : found == failure)
    #expect(found.httpStatus == 404)
  }

  @Test("a listing contradicts a lock by generation, else by digest, else by size")
  func contradiction() {
    let lock = LockEntry(
      destination: F.path("d"), source: "gs://b/o", generation: 5, size: 3, digests: DigestSet([F.crcA]))
    #expect(!lock.isContradicted(by: F.version(generation: 5, size: 99, [F.crcB])))
    #expect(lock.isContradicted(by: F.version(generation: 6, size: 3, [F.crcA])))
    #expect(lock.isContradicted(by: F.version(size: 3, [F.crcB])))
    #expect(lock.isContradicted(by: F.version(size: 4)))
    #expect(!lock.isContradicted(by: F.version()))
  }
}
