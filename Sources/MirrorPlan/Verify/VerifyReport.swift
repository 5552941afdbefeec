// What `mirror verify` found, as lines and as JSON, `mirror.verify/1`.

import TransferModel

/// One file, or one place where a file must be.
package struct VerifyFinding: Hashable, Sendable {
  /// The path below the root, for people: bytes that are no UTF-8 show as U+FFFD.
  package var destination: String
  package var verdict: VerifyVerdict
  package var size: Int64?
  package var why: String?

  package init(_ destination: String, _ verdict: VerifyVerdict, size: Int64? = nil, why: String? = nil) {
    self.destination = destination
    self.verdict = verdict
    self.size = size
    self.why = why
  }

  /// The finding's line, with its line break; nil when it is not worth one.
  package func line(verbose: Bool) -> String? {
    switch verdict {
    case .proven, .fresh: guard verbose else { return nil }
    case .unproven, .unknown, .missing, .wrong, .unreadable: break
    }
    let word = verdict.rawValue
    let padding = String(repeating: " ", count: max(1, 11 - word.utf8.count))
    return word + padding + TerminalText.escape(destination) + (why.map { ": \($0)" } ?? "") + "\n"
  }
}

/// What a verification adds up to.
package struct VerifyTotals: Hashable, Sendable {
  private var counts: [VerifyVerdict: Int] = [:]
  /// Bytes that were read and held against a digest.
  package private(set) var bytes: Int64 = 0

  package init() {}

  package mutating func add(_ finding: VerifyFinding) {
    counts[finding.verdict, default: 0] += 1
    if finding.verdict == .proven { bytes = bytes.addingSaturated(finding.size ?? 0) }
  }

  package subscript(verdict: VerifyVerdict) -> Int { counts[verdict] ?? 0 }
  package var all: Int { counts.values.reduce(0, +) }
  package var faults: Int { VerifyVerdict.allCases.reduce(0) { $0 + ($1.isFault ? self[$1] : 0) } }

  /// The last line, with its line break.
  package var summary: String {
    var parts = ["\(TerminalText.grouped(self[.proven])) proven (\(ByteCount(bytes)))"]
    if self[.fresh] > 0 { parts.append("\(TerminalText.grouped(self[.fresh])) proven before") }
    for verdict in [VerifyVerdict.wrong, .missing, .unreadable, .unproven, .unknown] where self[verdict] > 0 {
      parts.append("\(TerminalText.grouped(self[verdict])) \(verdict.rawValue)")
    }
    return "Verified: \(parts.joined(separator: ", ")).\n"
  }
}

/// Writes one document into a sink: `init`, any number of findings, `finish`. Files that are as they must be are counted
/// and not listed, unless `verbose`.
package struct VerifyDocument {
  package static let schema = "mirror.verify/1"

  private var totals = VerifyTotals()
  private var json = JSONWriter(layout: .indented)
  private let verbose: Bool
  private let sink: ([UInt8]) throws -> Void

  package init(root: String, verbose: Bool, sink: @escaping ([UInt8]) throws -> Void) {
    self.verbose = verbose
    self.sink = sink
    json.beginObject()
    json.member("schema", Self.schema)
    json.member("root", root)
    json.key("findings")
    json.beginArray()
  }

  package mutating func append(_ finding: VerifyFinding) throws {
    totals.add(finding)
    guard finding.line(verbose: verbose) != nil else { return }
    json.beginObject(onOneLine: true)
    json.member("path", finding.destination)
    json.member("verdict", finding.verdict.rawValue)
    json.member("size", finding.size)
    json.member("why", finding.why)
    json.endObject()
    if json.count >= ReportWriter.flushSize { try sink(json.takeBytes()) }
  }

  package mutating func finish(isComplete: Bool) throws {
    json.endArray()
    json.key("totals")
    json.beginObject(onOneLine: true)
    json.member("files", totals.all)
    for verdict in VerifyVerdict.allCases {
      json.key(named: verdict.rawValue)
      json.integer(Int64(totals[verdict]))
    }
    json.member("bytes", totals.bytes)
    json.endObject()
    json.member("complete", isComplete)
    json.endObject()
    json.newline()
    try sink(json.takeBytes())
  }
}
