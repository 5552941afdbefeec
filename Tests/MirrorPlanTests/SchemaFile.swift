// A JSON Schema of the repository, held against documents. As much of the language as our schemas use.

import Foundation
import Testing

struct SchemaFile {
  private let schema: [String: Any]
  private let definitions: [String: Any]

  static func named(_ name: String) throws -> SchemaFile {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/\(name)")
    let schema = try ReportTests.parse(String(contentsOf: file, encoding: .utf8))
    return SchemaFile(schema: schema, definitions: schema["$defs"] as? [String: Any] ?? [:])
  }

  /// What the document has and the schema does not know, or the other way round.
  func faults(of text: String) throws -> [String] {
    faults(of: try ReportTests.parse(text), against: schema, at: "$")
  }

  private func faults(of value: Any, against schema: [String: Any], at place: String) -> [String] {
    if let reference = schema["$ref"] as? String {
      guard let target = definitions[String(reference.dropFirst("#/$defs/".count))] as? [String: Any] else {
        return ["\(place): no \(reference)"]
      }
      return faults(of: value, against: target, at: place)
    }
    var found: [String] = []
    if let constant = schema["const"] as? String, value as? String != constant { found.append("\(place): const") }
    if let words = schema["enum"] as? [String], let word = value as? String, !words.contains(word) {
      found.append("\(place): \(word) is not in enum")
    }
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil { found.append("\(place).\(name)") }
      for (name, member) in object {
        guard let property = properties[name] else {
          found.append("\(place).\(name) is not named")
          continue
        }
        found += faults(of: member, against: property, at: "\(place).\(name)")
      }
    }
    if let array = value as? [Any], let element = schema["items"] as? [String: Any] {
      for (index, member) in array.enumerated() {
        found += faults(of: member, against: element, at: "\(place)[\(index)]")
      }
    }
    return found
  }
}
