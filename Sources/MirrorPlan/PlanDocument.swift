// A plan as JSON, `mirror.plan/1`: one document, written row by row.

package import TransferModel

/// What a plan stands on beside its rows.
package struct PlanHeader: Hashable, Sendable {
  package var version: String
  package var manifestPath: String
  package var manifestDigest: Digest?
  /// The root that was looked at, as it was named.
  package var root: String?
  package var made: Timestamp

  package init(
    version: String, manifestPath: String, manifestDigest: Digest?, root: String? = nil, made: Timestamp
  ) {
    self.version = version
    self.manifestPath = manifestPath
    self.manifestDigest = manifestDigest
    self.root = root
    self.made = made
  }
}

/// Writes one plan into a sink: `init`, any number of rows, `finish`.
///
/// Not `Sendable`: it belongs to whoever made it. Errors are the sink's, passed on.
package struct PlanDocument {
  package static let schema = "mirror.plan/1"

  package private(set) var totals = PlanTotals()
  private var json = JSONWriter(layout: .indented)
  private let sink: ([UInt8]) throws -> Void

  package init(_ header: PlanHeader, sink: @escaping ([UInt8]) throws -> Void) {
    self.sink = sink
    json.beginObject()
    json.member("schema", Self.schema)
    json.member("version", header.version)
    json.member("made", header.made.rfc3339())
    json.key("manifest")
    json.beginObject(onOneLine: true)
    json.member("path", header.manifestPath)
    json.member("sha256", header.manifestDigest?.hex)
    json.endObject()
    json.member("root", header.root)
    json.key("rows")
    json.beginArray()
  }

  package mutating func append(_ row: PlannedEntry, facts: PlanFacts? = nil) throws {
    totals.add(row)
    json.beginObject(onOneLine: true)
    json.member("to", row.destination)
    json.member("action", row.action.rawValue)
    json.member("reason", row.reason.text)
    json.member("compared_by", row.comparedBy.rawValue)
    json.member("size", row.size?.bytes)
    json.member("ref", row.source)
    if let failure = row.failure {
      json.key("error")
      json.error(failure)
    }
    if let facts {
      json.key("facts")
      facts.write(to: &json)
    }
    json.endObject()
    if json.count >= ReportWriter.flushSize { try sink(json.takeBytes()) }
  }

  /// Ends the document and gives the rest to the sink.
  package mutating func finish() throws {
    json.endArray()
    json.key("totals")
    json.beginObject(onOneLine: true)
    json.member("items", totals.all)
    for action in Action.allCases {
      json.key(named: action.rawValue)
      json.integer(Int64(totals[action]))
    }
    json.member("download_bytes", totals.downloadBytes)
    json.member("update_bytes", totals.updateBytes)
    json.member("unknown_sizes", totals.unknownSizes)
    json.member("weak_comparisons", totals.weakComparisons)
    json.member("not_looked_up", totals.notLookedUp)
    json.endObject()
    json.endObject()
    json.newline()
    try sink(json.takeBytes())
  }
}
