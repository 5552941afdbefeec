// A download that may be divided among several streams: when it may be, and what a later run is told of its part.

import TransferModel

extension ObjectDownload {
  /// Watches the stream whose head has just come, if more may be worth it, or if its part has holes already.
  func openRanges(_ head: HTTPResponseHead, _ url: HTTPURL) {
    // Nearly all objects are too small; finding that out is not to cost a cast.
    guard ranges == nil, let total, spec.hasPartRecord || spec.ranges?.mayDivide(total) == true,
      let sink = sink as? any DivisibleSink
    else { return }
    let facts = RangePolicy.Facts(
      total: total, hasStrongValidator: version.mayResume, isTranscoded: isTranscoded,
      acceptRanges: head.fields["Accept-Ranges"],
      rangesFailed: rangesDisabled || divisionFailed || services.hosts.ignoresRanges(url.origin))
    let limit = spec.ranges?.limit(facts) ?? 1
    guard limit > 1 || sink.stretches.count > 1 else { return }
    ranges = ParallelRanges(self, sink, total: total, limit: limit)
  }

  /// Ends the further streams; what they brought stays in the sink.
  func endStreams() {
    guard let ranges else { return }
    self.ranges = nil
    mostStreams = max(mostStreams, ranges.mostStreams)
    if case .given = ranges.records.consent { isDivided = true }
    ranges.stop()
  }

  /// The part is about to be emptied: no record may say that it still holds bytes of a version.
  func forgetRecord() {
    guard isDivided || hasRecord else { return }
    isDivided = false
    hasRecord = false
    announcedResumable = false
    keeper?.forget()
  }

  /// Writes down what a part holds that is kept for a later run. False = it is of no use to one.
  func recordStretches(of sink: any ByteSink) -> Bool {
    guard isDivided, let sink = sink as? any DivisibleSink else { return true }
    guard let keeper else { return false }
    do throws(TransferFailure) {
      guard let syncing = try sink.syncing() else { return false }
      return keeper.keepNow(version, sink.stretches, after: syncing)
    } catch {
      return false
    }
  }

  func noteAttempts(of result: AttemptLoopResult) {
    otherAttempts += result.attempts.filter { $0.failure != nil && $0.failure?.failureClass != .cancelled }
  }
}
