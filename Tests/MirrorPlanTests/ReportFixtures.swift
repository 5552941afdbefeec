// A run with one of everything, for the tests of the report.

import MirrorPlan
import TransferModel

enum ReportFixtures {
  static let failure = TransferFailure(
    .notFound, .permanent, "There is no object gs://b/gone.", hint: "Check the name.", httpStatus: 404,
    serverBody: "Not Found")

  static let downloaded = EntryOutcome(
    id: "00000000000000aa", reference: "https://a.example/x?token=REDACTED", servedBy: "https://m.example/x",
    destination: "tools/x\n.tgz", action: .update, outcome: .updated, reason: .remoteChange,
    comparedBy: .hash, httpStatus: 206,
    attempts: [
      Attempt(
        reference: "https://a.example/x?token=REDACTED", status: nil, error: .connectionRefused,
        wait: .milliseconds(1_250)),
      Attempt(reference: "https://m.example/x", status: 206, bytes: 9_007_199_254_740_993),
    ],
    bytes: 9_007_199_254_740_993, bytesResumed: 1_024, bytesWasted: 7, duration: .milliseconds(2_500),
    generation: 1_700_000_000_123_456, etag: "\"e\"", digests: DigestSet([Facts.crcA]))

  static let failed = EntryOutcome(
    id: "00000000000000bb", reference: "gs://b/gone", destination: "gone", action: .error, outcome: .failed,
    reason: .failure(.notFound), httpStatus: 404, attempts: [Attempt(status: 404, error: .notFound)],
    failure: failure)

  static let unchanged = EntryOutcome(
    id: "00000000000000cc", reference: "gs://b/o", destination: "o", action: .skip, outcome: .unchanged,
    reason: .unchanged, comparedBy: .size)

  static let listing = TransferFailure(.listingFailed, .transient, "gs://b/m/ could not be listed.", httpStatus: 503)

  static let run = ReportRun(
    id: "20231114T221320Z-1", version: "1.0.0", manifestPath: "manifest.yaml", manifestDigest: Facts.sha256A,
    shard: "1/4", start: Timestamp(seconds: 1_700_000_000),
    end: Timestamp(seconds: 1_700_000_003, nanoseconds: 250_000_000), host: "builder")

  /// The document, and what the sink was given piece by piece.
  static func document(
    _ entries: [EntryOutcome] = [downloaded, failed, unchanged], run: ReportRun = run,
    errors: [TransferFailure] = [listing], also statuses: [(ExitStatus, String)] = []
  ) throws -> (text: String, pieces: Int) {
    var bytes: [UInt8] = []
    var pieces = 0
    try withoutActuallyEscaping({ (piece: [UInt8]) in
      bytes += piece
      pieces += 1
    }) { sink in
      var writer = ReportWriter(sink: sink)
      var tally = ExitTally()
      for entry in entries {
        try writer.append(entry)
        tally.add(entry)
      }
      for failure in errors { tally.add(failure) }
      for (status, word) in statuses { tally.add(status, word) }
      try writer.finish(run, exit: tally, errors: errors)
    }
    return (String(decoding: bytes, as: UTF8.self), pieces)
  }
}
