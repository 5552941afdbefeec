// The documents that a run writes about itself, while it goes on and at its end. Their texts are `MirrorPlan`'s.

import LocalFiles
import MirrorPlan
import TransferModel

/// Where a run's documents go.
struct ReportPlaces: Sendable {
  /// The JSON report, as often as it is wanted.
  var json: [String] = []
  /// The JSON report as well, piece by piece.
  var stream: (@Sendable ([UInt8]) throws -> Void)?
  var junit: String?
  var prometheus: String?
  /// What the run is called in them: the manifest's path.
  var name = ""

  init() {}
}

/// The open documents of one run. Each fails by itself, and is then left as the run before had written it.
struct ReportDocuments {
  /// A document that could not be written.
  typealias Failure = (failure: TransferFailure, path: String)

  private var json: ReportWriter?
  private let jsonFiles: [AtomicDocument]
  private var junit: JUnitDocument?
  private var prometheus: AtomicDocument?

  /// Throws when a place cannot be written.
  init(_ places: ReportPlaces) throws(TransferFailure) {
    var files: [AtomicDocument] = []
    for path in places.json { files.append(try AtomicDocument(path)) }
    jsonFiles = files
    if !files.isEmpty || places.stream != nil {
      json = ReportWriter { [files, stream = places.stream] bytes in
        for file in files { try file.append(bytes) }
        try stream?(bytes)
      }
    }
    if let path = places.junit { junit = try JUnitDocument(path, name: places.name) }
    if let path = places.prometheus { prometheus = try AtomicDocument(path) }
  }

  /// The first JSON report.
  var jsonPath: String? { jsonFiles.first?.path }

  mutating func append(_ outcomes: [EntryOutcome]) -> [Failure] {
    writeJSON { writer in
      for outcome in outcomes { try writer.append(outcome) }
    } + writeJUnit { document throws(TransferFailure) in try document.append(outcomes) }
  }

  /// Ends the documents that list entries, and puts them in place.
  mutating func finish(
    _ run: ReportRun, _ totals: ReportTotals, exit: ExitTally, detailed: Bool, errors: [TransferFailure]
  ) -> [Failure] {
    var failures = writeJSON { try $0.finish(run, exit: exit, detailed: detailed, errors: errors) }
    for file in jsonFiles where json != nil {
      do { try file.publish() } catch { failures.append((error, file.path)) }
    }
    json = nil
    failures += writeJUnit { document throws(TransferFailure) in try document.finish(run, totals, errors) }
    junit = nil
    return failures
  }

  /// Writes the metrics, which tell the exit status and so come last.
  mutating func finish(_ metrics: PrometheusText) -> [Failure] {
    guard let file = prometheus.take() else { return [] }
    do throws(TransferFailure) {
      try file.append(metrics.text)
      try file.publish()
      return []
    } catch {
      return [(error, file.path)]
    }
  }

  private mutating func writeJSON(_ body: (inout ReportWriter) throws -> Void) -> [Failure] {
    // Taken out, so that it is not shared while it grows: what it holds would be copied for every item.
    guard var writer = json.take() else { return [] }
    do {
      try body(&writer)
      json = writer
      return []
    } catch {
      for file in jsonFiles { file.abandon() }
      let failure =
        error as? TransferFailure
        ?? TransferFailure(.ioError, .local, "the report could not be written: \(error)")
      return [(failure, jsonPath ?? "the report")]
    }
  }

  private mutating func writeJUnit(_ body: (JUnitDocument) throws(TransferFailure) -> Void) -> [Failure] {
    guard let document = junit else { return [] }
    do throws(TransferFailure) {
      try body(document)
      return []
    } catch {
      junit = nil
      document.file.abandon()
      return [(error, document.file.path)]
    }
  }
}

/// JUnit XML that grows with the run. Its opening tags have the counts, so they are written over at the end.
private final class JUnitDocument {
  let file: AtomicDocument
  private let name: String

  init(_ path: String, name: String) throws(TransferFailure) {
    file = try AtomicDocument(path)
    self.name = name
    try file.append(JUnitText.head(of: name, JUnitText.Totals()))
  }

  func append(_ outcomes: [EntryOutcome]) throws(TransferFailure) {
    for outcome in outcomes { try file.append(JUnitText.testCase(outcome)) }
  }

  func finish(_ run: ReportRun, _ totals: ReportTotals, _ errors: [TransferFailure]) throws(TransferFailure) {
    for failure in errors { try file.append(JUnitText.testCase(failure)) }
    try file.append(JUnitText.tail)
    var head = JUnitText.Totals(totals, errors: errors.count)
    head.start = run.start
    head.duration = run.end - run.start
    try file.replaceStart(with: JUnitText.head(of: name, head))
    try file.publish()
  }
}
