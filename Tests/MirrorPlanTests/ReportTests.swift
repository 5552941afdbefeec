// The report's document, whole, and its schema.

import Foundation
import MirrorPlan
import Testing
import TransferModel

@Suite("Report")
struct ReportTests {
  @Test("P74: a report is this document, byte for byte")
  func wholeDocument() throws {
    let (text, pieces) = try ReportFixtures.document()
    #expect(pieces == 1)
    #expect(text == Self.expected)
  }

  @Test("a run without entries is a report too")
  func empty() throws {
    let document = try Self.parse(ReportFixtures.document([], errors: []).text)
    #expect((document["items"] as? [Any])?.isEmpty == true)
    #expect((document["exit"] as? [String: Any])?["code"] as? Int == 0)
  }

  @Test("an interrupted run says so, and everything else that applied")
  func interrupted() throws {
    let entry = EntryOutcome(
      id: "00000000000000dd", reference: "gs://b/p", destination: "p", action: .download, outcome: .interrupted,
      reason: .new)
    let text = try ReportFixtures.document(
      [entry, ReportFixtures.failed], errors: [], also: [(.interrupted, "sigint")]
    ).text
    let exit = try #require(Self.parse(text)["exit"] as? [String: Any])
    #expect(exit["code"] as? Int == 130)
    let reasons = try #require(exit["reasons"] as? [[String: Any]])
    #expect(reasons.compactMap { $0["code"] as? Int } == [130, 3])
    #expect(reasons.compactMap { $0["reason"] as? String } == ["sigint", "not_found"])
  }

  @Test("a million items do not sit in memory: the sink is called as they come")
  func streaming() throws {
    let entries = Array(repeating: ReportFixtures.unchanged, count: 2_000)
    let (text, pieces) = try ReportFixtures.document(entries)
    #expect(pieces > 5)
    let document = try Self.parse(text)
    #expect((document["items"] as? [Any])?.count == 2_000)
    #expect((document["totals"] as? [String: Any])?["unchanged"] as? Int == 2_000)
  }

  @Test("a sink that fails stops the writer")
  func failingSink() {
    struct Full: Error {}
    var writer = ReportWriter { _ in throw Full() }
    #expect(throws: Full.self) {
      try writer.finish(ReportFixtures.run, exit: ExitTally())
    }
  }

  @Test("the document has what the schema requires and nothing that it does not name")
  func schema() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/report.schema.json")
    let schema = try Self.parse(String(contentsOf: file, encoding: .utf8))
    let walker = SchemaWalker(definitions: schema["$defs"] as? [String: Any] ?? [:])
    let document = try Self.parse(ReportFixtures.document().text)
    #expect(walker.faults(of: document, against: schema, at: "$") == [])
    #expect(walker.faults(of: ["schema": "other"], against: schema, at: "$").count == 6, "the walker finds faults")
  }

  @Test("the schema knows every word")
  func words() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/report.schema.json")
    let schema = try Self.parse(String(contentsOf: file, encoding: .utf8))
    func words(_ definition: String, _ property: String) -> Set<String> {
      let definitions = schema["$defs"] as? [String: [String: Any]]
      let properties = definitions?[definition]?["properties"] as? [String: [String: Any]]
      return Set(properties?[property]?["enum"] as? [String] ?? [])
    }
    #expect(words("item", "action") == Set(Action.allCases.map(\.rawValue)))
    #expect(words("item", "outcome") == Set(Outcome.allCases.map(\.rawValue)))
    #expect(words("item", "compared_by") == Set(ComparedBy.allCases.map(\.rawValue)))
    #expect(words("error", "code") == Set(ReasonCode.allCases.map(\.storageErrorName)))
    #expect(words("exit", "run_again") == Set(MirrorPlan.ExitStatus.allCases.map(\.runAgain)))
  }

  static func parse(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  static let expected = #"""
    {
      "schema": "mirror.report/1",
      "items": [
        {"id": "00000000000000aa", "ref": "https://a.example/x?token=REDACTED", "served_by": "https://m.example/x", "to": "tools/x\n.tgz", "action": "update", "outcome": "updated", "reason": "remote_change", "compared_by": "hash", "http_status": 206, "attempts": [{"ref": "https://a.example/x?token=REDACTED", "error": "connection_refused", "wait": 1.25, "bytes": 0}, {"ref": "https://m.example/x", "status": 206, "wait": 0, "bytes": 9007199254740993}], "bytes": 9007199254740993, "bytes_resumed": 1024, "bytes_wasted": 7, "duration": 2.5, "generation": "1700000000123456", "etag": "\"e\"", "hashes": {"crc32c": "aaaaaaaa"}},
        {"id": "00000000000000bb", "ref": "gs://b/gone", "to": "gone", "action": "error", "outcome": "failed", "reason": "not_found", "compared_by": "none", "http_status": 404, "attempts": [{"status": 404, "error": "not_found", "wait": 0, "bytes": 0}], "bytes": 0, "bytes_resumed": 0, "bytes_wasted": 0, "duration": 0, "hashes": {}, "error": {"code": "objectNotFound", "name": "not_found", "message": "There is no object gs://b/gone.", "hint": "Check the name.", "http_status": 404, "body": "Not Found"}},
        {"id": "00000000000000cc", "ref": "gs://b/o", "to": "o", "action": "skip", "outcome": "unchanged", "reason": "unchanged", "compared_by": "size", "attempts": [], "bytes": 0, "bytes_resumed": 0, "bytes_wasted": 0, "duration": 0, "hashes": {}}
      ],
      "errors": [
        {"code": "unknown", "name": "listing_failed", "message": "gs://b/m/ could not be listed.", "http_status": 503}
      ],
      "totals": {
        "items": 3,
        "downloaded": 0,
        "updated": 1,
        "adopted": 0,
        "unchanged": 1,
        "metadata_set": 0,
        "deleted": 0,
        "failed": 1,
        "skipped": 0,
        "interrupted": 0,
        "placeholder": 0,
        "bytes": 9007199254740993,
        "bytes_resumed": 1024,
        "bytes_wasted": 7,
        "retries": 1,
        "weak_comparisons": 1
      },
      "exit": {
        "code": 3,
        "meaning": "finished; at least one item failed for good",
        "run_again": "no",
        "reasons": [
          {"code": 3, "reason": "not_found", "count": 1},
          {"code": 4, "reason": "listing_failed", "count": 1}
        ]
      },
      "run": {
        "id": "20231114T221320Z-1",
        "version": "1.0.0",
        "manifest": {"path": "manifest.yaml", "sha256": "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2"},
        "shard": "1/4",
        "start": "2023-11-14T22:13:20.000Z",
        "end": "2023-11-14T22:13:23.250Z",
        "host": "builder"
      }
    }

    """#
}

/// Holds a document against the parts of JSON Schema that our schemas use: `$ref`, `properties`, `required`, `items`,
/// `enum`, `const`, `type`. A property that is not named is a fault here, though readers let it pass.
private struct SchemaWalker {
  let definitions: [String: Any]

  func faults(of value: Any, against schema: [String: Any], at place: String) -> [String] {
    if let reference = schema["$ref"] as? String {
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let target = definitions[name] as? [String: Any] else { return ["\(place): no \(reference)"] }
      return faults(of: value, against: target, at: place)
    }
    var faults: [String] = []
    if let constant = schema["const"] as? String, value as? String != constant { faults.append("\(place): const") }
    if let words = schema["enum"] as? [AnyHashable], let word = value as? AnyHashable, !words.contains(word) {
      faults.append("\(place): \(word) is not in enum")
    }
    if let type = schema["type"] as? String, !Self.has(value, type: type) { faults.append("\(place): not \(type)") }
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil { faults.append("\(place).\(name)") }
      for (name, member) in object {
        guard let property = properties[name] else {
          faults.append("\(place).\(name) is not named")
          continue
        }
        faults += self.faults(of: member, against: property, at: "\(place).\(name)")
      }
    }
    if let array = value as? [Any], let element = schema["items"] as? [String: Any] {
      for (index, member) in array.enumerated() {
        faults += self.faults(of: member, against: element, at: "\(place)[\(index)]")
      }
    }
    return faults
  }

  private static func has(_ value: Any, type: String) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "integer": value is Int
    case "number": value is Double || value is Int
    default: false
    }
  }
}
