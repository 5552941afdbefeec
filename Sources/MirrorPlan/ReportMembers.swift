// The members of a report's objects. Absent values are left out; durations are seconds; digests are lower-case
// hexadecimal; a generation is a text, as Google's API has it, because readers round numbers beyond 2^53.

import TransferModel

extension JSONWriter {
  mutating func item(_ entry: EntryOutcome) {
    beginObject(onOneLine: true)
    key("id")
    if let id = entry.givenID { string(id) } else { hex(EntryFingerprint(of: entry.destination).value) }
    member("ref", entry.reference)
    member("served_by", entry.servedBy)
    member("to", entry.destination)
    member("action", entry.action.rawValue)
    member("outcome", entry.outcome.rawValue)
    member("reason", entry.reason.text)
    member("compared_by", entry.comparedBy.rawValue)
    member("proven_by", entry.provenBy?.rawValue)
    member("http_status", entry.httpStatus)
    key("attempts")
    beginArray()
    for attempt in entry.attempts { self.attempt(attempt) }
    endArray()
    member("bytes", entry.bytes)
    member("bytes_resumed", entry.bytesResumed)
    member("bytes_wasted", entry.bytesWasted)
    seconds("duration", entry.duration)
    if entry.streams > 1 { member("streams", Int64(entry.streams)) }
    member("generation", entry.generation.map { String($0) })
    member("etag", entry.etag)
    hashes(entry.digests)
    if entry.hasUnverifiedLength { member("warning", "unverified_length") }
    member("failing_since", entry.failingSince?.rfc3339(.seconds))
    if let failure = entry.failure {
      key("error")
      error(failure)
    }
    endObject()
  }

  private mutating func attempt(_ attempt: Attempt) {
    beginObject()
    member("ref", attempt.reference)
    member("status", attempt.status)
    member("error", attempt.error?.rawValue)
    member("message", attempt.message)
    seconds("wait", attempt.wait)
    member("bytes", attempt.bytes)
    endObject()
  }

  mutating func error(_ failure: TransferFailure) {
    beginObject(onOneLine: true)
    member("code", failure.reason.storageErrorName)
    member("name", failure.reason.rawValue)
    member("message", failure.message)
    member("hint", failure.hint)
    member("http_status", failure.httpStatus)
    member("body", failure.serverBody)
    endObject()
  }

  mutating func hashes(_ digests: DigestSet) {
    key("hashes")
    beginObject(onOneLine: true)
    member("crc32c", digests.crc32c)
    member("md5", digests.md5)
    member("sha256", digests.sha256)
    member("sha512", digests.sha512)
    endObject()
  }

  mutating func totals(_ totals: ReportTotals) {
    key("totals")
    beginObject()
    member("items", totals.all)
    for outcome in Outcome.allCases {
      key(named: outcome.rawValue)
      integer(Int64(totals[outcome]))
    }
    member("bytes", totals.bytes)
    member("bytes_resumed", totals.bytesResumed)
    member("bytes_wasted", totals.bytesWasted)
    member("retries", totals.retries)
    member("weak_comparisons", totals.weakComparisons)
    endObject()
  }

  mutating func run(_ run: ReportRun) {
    key("run")
    beginObject()
    member("id", run.id)
    member("version", run.version)
    key("manifest")
    beginObject(onOneLine: true)
    member("path", run.manifestPath)
    member("sha256", run.manifestDigest?.hex)
    endObject()
    member("shard", run.shard)
    member("start", run.start.rfc3339())
    member("end", run.end.rfc3339())
    member("host", run.host)
    endObject()
  }

  /// To the millisecond.
  private mutating func seconds(_ name: StaticString, _ duration: Duration) {
    key(name)
    thousandths(max(0, duration.inMilliseconds))
  }
}
