// One or several reports read back and added up: what `mirror report` shows. Writing one is `ReportWriter`.

package import TransferModel

/// What several documents `mirror.report/1` say together. Items are read one by one and not kept, but for failures.
package struct ReportDigest: Sendable {
  package struct Run: Hashable, Sendable {
    package var name: String
    package var id = ""
    package var host = ""
    package var start = ""
    package var end = ""
    package var manifest = ""
    package var shard: String?
    package var exit: Int32?
  }

  package struct Failure: Hashable, Sendable {
    package var place: String
    package var reason: String
    package var message: String
    package var hint: String?
  }

  /// Failures that are kept with their message; the rest is counted.
  package static let keptFailures = 1_000

  package private(set) var runs: [Run] = []
  /// By the words of the report's totals, in their order: `items`, the outcomes, `bytes` …
  package private(set) var totals: [(word: String, count: Int64)] = []
  package private(set) var failures: [Failure] = []
  /// How many of each reason, the most first.
  package var reasons: [(word: String, count: Int)] {
    counted.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }
  private var counted: [String: Int] = [:]

  package init() {}

  /// Whether any run did not come to a good end, or none is known of a part of the work.
  package var hasFailures: Bool {
    runs.contains { $0.exit.flatMap { ExitStatus(rawValue: $0) }?.isSuccess != true } || !missingShards.isEmpty
  }

  /// Adds a document. Throws where it is no report, with the byte at which that shows; then nothing was added.
  package mutating func add(_ bytes: [UInt8], named name: String) throws(JSONError) {
    var copy = self
    try copy.read(bytes, named: name)
    self = copy
  }

  private mutating func read(_ bytes: [UInt8], named name: String) throws(JSONError) {
    var reader = JSONReader(bytes)
    var run = Run(name: name)
    var isReport = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "schema":
        let place = reader.offset
        guard try reader.readString() == ReportWriter.schema else {
          throw JSONError("this is no \(ReportWriter.schema)", offset: place)
        }
        isReport = true
      case "items", "errors":
        try reader.beginArray()
        while try reader.nextElement() { try readItem(&reader, isItem: key == "items") }
      case "totals": try readTotals(&reader)
      case "exit": run.exit = try Self.exitCode(&reader)
      case "run": try Self.read(&run, &reader)
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    guard isReport else { throw JSONError("this is no \(ReportWriter.schema)", offset: 0) }
    runs.append(run)
  }

  /// An item, of which only a failure matters; or a failure that belongs to no item.
  private mutating func readItem(_ reader: inout JSONReader, isItem: Bool) throws(JSONError) {
    var failure = Failure(place: "", reason: "", message: "")
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "to" where isItem: failure.place = try reader.readString()
      case "error" where isItem:
        try reader.beginObject()
        while let key = try reader.nextKey() { try Self.readError(key, &failure, &reader) }
      default:
        if isItem { try reader.skipValue() } else { try Self.readError(key, &failure, &reader) }
      }
    }
    guard !failure.reason.isEmpty else { return }
    counted[failure.reason, default: 0] += 1
    if failures.count < Self.keptFailures { failures.append(failure) }
  }

  private static func readError(
    _ key: String, _ failure: inout Failure, _ reader: inout JSONReader
  ) throws(JSONError) {
    switch key {
    case "name": failure.reason = try reader.readString()
    case "message": failure.message = try reader.readString()
    case "hint": failure.hint = try reader.readString()
    default: try reader.skipValue()
    }
  }

  private mutating func readTotals(_ reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      let count = try reader.readNumber().int64 ?? 0
      if let place = totals.firstIndex(where: { $0.word == key }) {
        totals[place].count = totals[place].count.addingSaturated(count)
      } else {
        totals.append((key, count))
      }
    }
  }

  private static func exitCode(_ reader: inout JSONReader) throws(JSONError) -> Int32? {
    var code: Int32?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if key == "code" {
        code = try reader.readNumber().int64.flatMap { Int32(exactly: $0) }
      } else {
        try reader.skipValue()
      }
    }
    return code
  }

  private static func read(_ run: inout Run, _ reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "id": run.id = try reader.readString()
      case "host": run.host = try reader.readString()
      case "start": run.start = try reader.readString()
      case "end": run.end = try reader.readString()
      case "shard": run.shard = try reader.readString()
      case "manifest":
        try reader.beginObject()
        while let key = try reader.nextKey() {
          if key == "path" { run.manifest = try reader.readString() } else { try reader.skipValue() }
        }
      default: try reader.skipValue()
      }
    }
  }
}
