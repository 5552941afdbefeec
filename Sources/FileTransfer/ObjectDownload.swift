// One object to one sink, from its first request to its single end. What is asked for is `ObjectDownload+Requests`, what an
// answer means `+Answers`, what becomes of the bytes `+Bytes`; when to try again is `AttemptLoop`.

import LocalFiles
package import TransferModel

/// One download, on one transfer thread, from `start` to its single completion.
package final class ObjectDownload {
  private let order: Shared<DownloadSpec>
  let services: TransferServices
  let loop: any TransferLoop
  private let completion: (DownloadResult) -> Void
  private let started: MonotonicInstant
  var attempts: AttemptLoop?

  var sink: (any ByteSink)?
  /// How the bytes are stored that the sink was made for.
  var sinkForm = StoredEncoding.unknown
  /// The version that the sink's bytes, or those that are coming, belong to.
  var version = ObjectVersion()
  /// What the listing said, until it turns out to be of the past.
  var listed: ObjectVersion?
  var mirror = 0
  /// The length that the whole object has to have; nil = unknown.
  var total: Int64?
  var storedEncoding: StoredEncoding
  var isTranscoded = false
  var rangesDisabled = false
  /// Whether several streams have turned out not to do for this object.
  var divisionFailed = false
  /// Watches the first stream of an object that is worth it, and has others beside it.
  var ranges: ParallelRanges?
  /// Whether the part holds bytes out of turn, or is said to.
  var isDivided = false
  /// Whether something is written down of the part.
  var hasRecord: Bool
  /// Made when it is needed: most objects are small.
  lazy var keeper = spec.owner.makeKeeper()
  let streamLender: (any StreamLender)?
  /// What the running attempt asked for: from where, and whether to the end of the object.
  var askedOffset: Int64 = 0
  var isOpenEnded = true
  /// What comes after an attempt that went well.
  package var nextCourse = AttemptCourse.conclude
  /// Failed attempts of further streams.
  var otherAttempts: [AttemptRecord] = []
  var mostStreams = 1
  var announcedResumable = false
  var received: Int64 = 0
  var untold: ProgressGathering
  var resumed: Int64 = 0
  var ending: DownloadResult.Ending?
  var excessSize: Int64?
  private var hold = Hold.none

  /// Whether the download is held by `pause`.
  private enum Hold {
    case none
    /// The attempt is being ended.
    case pausing((Int64) -> Void)
    case paused
  }

  /// - streamLender: where streams beyond the first come from; nil = there is always one.
  package init(
    _ order: Shared<DownloadSpec>, services: TransferServices, loop: any TransferLoop,
    streamLender: (any StreamLender)? = nil, completion: @escaping (DownloadResult) -> Void
  ) {
    self.order = order
    self.services = services
    self.loop = loop
    self.streamLender = streamLender
    hasRecord = order.value.hasPartRecord
    self.completion = completion
    listed = order.value.listed
    storedEncoding = order.value.listed.map { StoredEncoding(contentEncoding: $0.contentEncoding) } ?? .unknown
    let now = loop.now
    started = now
    untold = ProgressGathering(start: now)
  }

  var spec: DownloadSpec { order.value }

  /// Begins; `completion` is called once, on the loop's thread, possibly before this returns.
  package func start() {
    if let failure = openPart() {
      conclude(AttemptLoopResult(failure: failure, attempts: [], mirror: 0))
      return
    }
    startAttempts()
  }

  /// What has to happen before this goes on.
  package var activity: AttemptActivity { attempts?.activity ?? .nothing }

  private func startAttempts() {
    let attempts = AttemptLoop(
      client: self, mirrorCount: spec.endpoints.count, policy: spec.terms.retry, deadline: spec.terms.deadline,
      services: services, loop: loop
    ) { [self] in conclude($0) }
    self.attempts = attempts
    attempts.start()
  }

  /// Ends now; what was received is kept where it can be continued. Without effect after the end.
  package func cancel(_ failure: TransferFailure = TransferFailure(.cancelled, .cancelled, "the run was interrupted")) {
    switch hold {
    case .none: attempts?.end(with: failure)
    // It is ending already; it just does not stay for `resume`.
    case .pausing: hold = .none
    case .paused:
      hold = .none
      conclude(AttemptLoopResult(failure: failure, attempts: [], mirror: mirror))
    }
  }

  /// Ends the running exchange and keeps what was received, whatever its size, until `resume` or `cancel`. `stopped` is
  /// called on the loop's thread with the bytes that are kept, once nothing more comes, possibly before this returns; never
  /// when the download ends before that. Without effect when it is held already or has ended.
  package func pause(_ stopped: @escaping (Int64) -> Void) {
    guard case .none = hold, let attempts else { return }
    hold = .pausing(stopped)
    attempts.end(with: TransferFailure(.cancelled, .cancelled, "the download was paused"))
  }

  /// Goes on after `pause`: with a range where the version allows it, else from zero; with credentials, a fresh retry budget
  /// and a fresh deadline, as a download that just begins. Without effect unless `pause` has called back.
  package func resume() {
    guard case .paused = hold else { return }
    hold = .none
    startAttempts()
  }

  /// Takes up the part of an earlier run, if it is of the version that is wanted now.
  private func openPart() -> TransferFailure? {
    guard let part = spec.part, part.mayResume else { return nil }
    if let listed, part.isContradicted(by: listed) { return nil }
    let wanted = part.merging(listed)
    do throws(TransferFailure) {
      let sink = try openSink(for: wanted)
      self.sink = sink
      if let size = part.size, sink.position > size { try sink.restart() }
      version = wanted
      resumed = usefulBytes
      isDivided = ((sink as? any DivisibleSink)?.stretches.count ?? 0) > 1
      announcedResumable = sink.position >= DownloadSpec.resumableBytes
    } catch {
      return error
    }
    return nil
  }

  func openSink(for version: ObjectVersion) throws(TransferFailure) -> any ByteSink {
    var form = version
    // What the server has decoded is not to be decoded once more.
    if isTranscoded { form.contentEncoding = nil }
    sinkForm = StoredEncoding(contentEncoding: form.contentEncoding)
    return try spec.owner.openSink(
      DigestChoice.algorithms(pins: spec.pins.digests, version: version, standing: spec.standing), form)
  }

  private func conclude(_ result: AttemptLoopResult) {
    attempts = nil
    tellRest()
    endStreams()
    if case .pausing(let stopped) = hold, result.failure?.reason == .cancelled {
      hold = .paused
      stopped(usefulBytes)
      return
    }
    if isDivided { keeper?.end() }
    let parked = result.failure.flatMap { putAside(after: $0) }
    if result.failure == nil, case .unchanged? = ending { sink?.discard() }
    completion(
      DownloadResult(
        ending: result.failure.map { .failed($0) } ?? ending
          ?? .failed(TransferFailure(.internalError, .permanent, "the download ended without a result")),
        attempts: allAttempts(result.attempts), mirror: result.mirror,
        servedBy: spec.endpoints[result.mirror].servedBy, bytesReceived: received, bytesResumed: resumed,
        duration: loop.now - started, parked: parked, bytesParked: parked == nil ? 0 : usefulBytes,
        excessSize: excessSize, streams: mostStreams))
  }

  /// Those of further streams come before the last one of the first.
  private func allAttempts(_ attempts: [AttemptRecord]) -> [AttemptRecord] {
    otherAttempts.isEmpty ? attempts : attempts.dropLast() + otherAttempts + attempts.suffix(1)
  }

  /// Keeps the part when a later run can continue it, else removes it; returns the version of a kept part.
  private func putAside(after failure: TransferFailure) -> ObjectVersion? {
    guard let sink else { return nil }
    switch failure.failureClass {
    case .transient, .throttled, .cancelled, .unauthenticated:
      guard spec.terms.keepsParts, version.mayResume, sink.position >= DownloadSpec.resumableBytes,
        recordStretches(of: sink)
      else { break }
      sink.park()
      return version
    case .permanent, .integrity, .local: break
    }
    sink.discard()
    return nil
  }
}
