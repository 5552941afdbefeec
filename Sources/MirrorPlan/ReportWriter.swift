// A run's report as JSON, `mirror.report/1` (`manifests/report.schema.json`). Writing it into a file atomically is the
// sink's.

package import TransferModel

/// What a report says of the run as a whole.
package struct ReportRun: Hashable, Sendable {
  package var id: String
  /// mirror's own.
  package var version: String
  package var manifestPath: String
  /// sha256 of the manifest's text; nil when it came from standard input that could not be kept.
  package var manifestDigest: Digest?
  /// `k/n`; nil = the whole.
  package var shard: String?
  package var start: Timestamp
  package var end: Timestamp
  package var host: String

  package init(
    id: String, version: String, manifestPath: String, manifestDigest: Digest? = nil, shard: String? = nil,
    start: Timestamp, end: Timestamp, host: String
  ) {
    self.id = id
    self.version = version
    self.manifestPath = manifestPath
    self.manifestDigest = manifestDigest
    self.shard = shard
    self.start = start
    self.end = end
    self.host = host
  }
}

/// Writes one report into a sink: `init`, any number of items, `finish`. Items come first and everything that is known at
/// the end only comes last, so a run that is stopped early writes a whole document too.
///
/// Keeps no item. Not `Sendable`: it belongs to whoever made it. Errors are the sink's, passed on; after one the
/// document is of no use.
package struct ReportWriter {
  package static let schema = "mirror.report/1"
  /// Bytes that are gathered before the sink is called.
  static let flushSize = 64 << 10

  package private(set) var totals = ReportTotals()
  private var json = JSONWriter(layout: .indented)
  private let sink: ([UInt8]) throws -> Void

  package init(sink: @escaping ([UInt8]) throws -> Void) {
    self.sink = sink
    json.beginObject()
    json.member("schema", Self.schema)
    json.key("items")
    json.beginArray()
  }

  package mutating func append(_ entry: EntryOutcome) throws {
    totals.add(entry)
    json.item(entry)
    if json.count >= Self.flushSize { try sink(json.takeBytes()) }
  }

  /// Ends the document and gives the rest to the sink. `errors` are those of the run that belong to no entry, such as a
  /// listing that failed or a safety stop.
  package mutating func finish(
    _ run: ReportRun, exit: ExitTally, detailed: Bool = false, errors: [TransferFailure] = []
  )
    throws
  {
    json.endArray()
    json.key("errors")
    json.beginArray()
    for failure in errors { json.error(failure) }
    json.endArray()
    json.totals(totals)
    let status = exit.status(hasChanges: totals.hasChanges, detailed: detailed)
    json.key("exit")
    json.beginObject()
    json.member("code", status.rawValue)
    json.member("meaning", status.meaning)
    json.member("run_again", status.runAgain)
    json.key("reasons")
    json.beginArray()
    for reason in exit.reasons {
      json.beginObject(onOneLine: true)
      json.member("code", reason.status.rawValue)
      json.member("reason", reason.word)
      json.member("count", reason.count)
      json.endObject()
    }
    json.endArray()
    json.endObject()
    json.run(run)
    json.endObject()
    json.newline()
    try sink(json.takeBytes())
  }
}
