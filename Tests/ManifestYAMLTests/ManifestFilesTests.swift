// The files in `manifests/`: each decodes, and the JSON Schema has the keys that the decoder has.

import Foundation
import ManifestYAML
import MirrorPlan
import Testing

@Suite struct ManifestFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("manifests")

  private static func manifests() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "yaml" }
  }

  @Test func `every manifest of the repository is good, without a warning`() throws {
    let manifests = try Self.manifests()
    #expect(!manifests.isEmpty)
    for url in manifests {
      let file = load([UInt8](try Data(contentsOf: url)))
      #expect(file.lines == [], "\(url.lastPathComponent)")
      #expect(file.manifest != nil)
    }
  }

  @Test func `everything.yaml uses every key`() throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("everything.yaml"), encoding: .utf8)
    let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") && $0 != ":" }.map(String.init))
    let keys =
      TopKey.spellings + StorageKey.spellings + AuthKey.spellings + SecretKey.spellings
      + GoogleKey.spellings + FirebaseKey.spellings + BasicKey.spellings + TLSKey.spellings
      + WithSettings<ItemKey>.spellings + WithSettings<TreeKey>.spellings + TimeoutKey.spellings + RetryKey.spellings
      + RangesKey.spellings
      + LimitKey.spellings + PublishKey.spellings + RateRowKey.spellings + PruneKey.spellings + ReportKey.spellings
    for key in Set(keys) { #expect(words.contains("\(key):"), "\(key)") }
  }

  /// The part of the schema at a path of keys.
  private func schema(_ path: String...) throws -> [String: Any] {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("mirror.schema.json"))
    var part = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    for key in path { part = try #require(part[key] as? [String: Any], "\(path)") }
    return part
  }

  /// The properties at a path; `<<` is YAML's own.
  private func properties(_ path: String...) throws -> Set<String> {
    var part = try schema()
    for key in path { part = try #require(part[key] as? [String: Any], "\(path)") }
    #expect(part["additionalProperties"] as? Bool == false, "\(path)")
    let properties = try #require(part["properties"] as? [String: Any])
    for (key, value) in properties where key != "<<" {
      let value = try #require(value as? [String: Any])
      #expect(value["description"] != nil || value["$ref"] != nil, "\(path) \(key) has no description")
    }
    return Set(properties.keys).subtracting(["<<"])
  }

  @Test func `the JSON Schema has the decoder's keys at every level`() throws {
    #expect(try properties() == Set(TopKey.spellings))
    #expect(try properties("properties", "storage") == Set(StorageKey.spellings))
    #expect(try properties("properties", "defaults") == Set(SettingKey.spellings))
    #expect(try properties("properties", "limits") == Set(LimitKey.spellings))
    #expect(try properties("properties", "report") == Set(ReportKey.spellings))
    #expect(try properties("$defs", "auth") == Set(AuthKey.spellings))
    #expect(try properties("$defs", "google") == Set(GoogleKey.spellings))
    #expect(try properties("$defs", "firebase") == Set(FirebaseKey.spellings))
    #expect(try properties("$defs", "basic") == Set(BasicKey.spellings))
    #expect(try properties("$defs", "tls") == Set(TLSKey.spellings))
    #expect(try properties("$defs", "secret") == Set(SecretKey.spellings))
    #expect(try properties("$defs", "item") == Set(WithSettings<ItemKey>.spellings))
    #expect(try properties("$defs", "tree") == Set(WithSettings<TreeKey>.spellings))
    #expect(try properties("$defs", "tree", "properties", "prune") == Set(PruneKey.spellings))
    #expect(try properties("$defs", "rateRow") == Set(RateRowKey.spellings))
    #expect(try properties("$defs", "publish") == Set(PublishKey.spellings))
    #expect(try properties("$defs", "timeout") == Set(TimeoutKey.spellings))
    #expect(try properties("$defs", "retry") == Set(RetryKey.spellings))
    #expect(try properties("$defs", "ranges") == Set(RangesKey.spellings))
  }

  @Test func `the JSON Schema has the decoder's words`() throws {
    func words(_ key: String) throws -> [String]? { try schema("$defs", key)["enum"] as? [String] }
    #expect(try words("verify") == TransferSettings.Verify.allCases.map(\.rawValue))
    #expect(try words("content") == TransferSettings.ContentForm.allCases.map(\.rawValue))
    #expect(try words("mtime") == TransferSettings.ModifiedTime.allCases.map(\.rawValue))
    let api = try schema("properties", "storage", "properties", "api")["enum"] as? [String]
    #expect(api == StorageSettings.API.allCases.map(\.rawValue))
    for (key, words) in [
      ("google", GoogleWord.allCases.map(\.rawValue)), ("firebase", FirebaseWord.allCases.map(\.rawValue)),
    ] {
      let forms = try schema("$defs", "auth", "properties", key)["anyOf"] as? [[String: Any]]
      #expect(forms?.compactMap { $0["enum"] as? [String] } == [words])
    }
  }
}
