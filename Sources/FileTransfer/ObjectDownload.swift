// One object to one sink: which request comes next, what an answer means, whether the bytes are proven.
// When to try again is `AttemptLoop`; the tables are `ResumeDecision`, `DigestChoice` and `DownloadProof`.

import LocalFiles
package import TransferModel

/// One download, on one transfer thread, from `start` to its single completion.
package final class ObjectDownload {
  private let spec: DownloadSpec
  private let services: TransferServices
  private let loop: any TransferLoop
  private let completion: (DownloadResult) -> Void
  private let started: MonotonicInstant
  private var attempts: AttemptLoop?

  private var sink: (any ByteSink)?
  /// How the bytes are stored that the sink was made for.
  private var sinkForm = StoredEncoding.unknown
  /// The version that the sink's bytes, or those that are coming, belong to.
  private var version = ObjectVersion()
  /// What the listing said, until it turns out to be of the past.
  private var listed: ObjectVersion?
  private var mirror = 0
  /// The length that the whole object has to have; nil = unknown.
  private var total: Int64?
  private var storedEncoding: StoredEncoding
  private var isTranscoded = false
  private var rangesDisabled = false
  private var announcedResumable = false
  private var received: Int64 = 0
  private var resumed: Int64 = 0
  private var ending: DownloadResult.Ending?
  private var excessSize: Int64?
  private var hold = Hold.none

  /// Whether the download is held by `pause`.
  private enum Hold {
    case none
    /// The attempt is being ended.
    case pausing((Int64) -> Void)
    case paused
  }

  package init(
    _ spec: DownloadSpec, services: TransferServices, loop: any TransferLoop,
    completion: @escaping (DownloadResult) -> Void
  ) {
    self.spec = spec
    self.services = services
    self.loop = loop
    self.completion = completion
    listed = spec.listed
    storedEncoding = spec.listed.map { StoredEncoding(contentEncoding: $0.contentEncoding) } ?? .unknown
    started = loop.now
  }

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
      client: self, mirrorCount: spec.endpoints.count, policy: spec.retry, deadline: spec.deadline,
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
      resumed = sink.position
      announcedResumable = sink.position >= DownloadSpec.resumableBytes
    } catch {
      return error
    }
    return nil
  }

  private func openSink(for version: ObjectVersion) throws(TransferFailure) -> any ByteSink {
    var form = version
    // What the server has decoded is not to be decoded once more.
    if isTranscoded { form.contentEncoding = nil }
    sinkForm = StoredEncoding(contentEncoding: form.contentEncoding)
    return try spec.openSink(
      DigestChoice.algorithms(pins: spec.pins.digests, version: version, standing: spec.standing), form)
  }

  private func conclude(_ result: AttemptLoopResult) {
    attempts = nil
    if case .pausing(let stopped) = hold, result.failure?.reason == .cancelled {
      hold = .paused
      stopped(usefulBytes)
      return
    }
    var parked: ObjectVersion?
    if let failure = result.failure {
      ending = .failed(failure)
      parked = putAside(after: failure)
    } else if case .unchanged? = ending {
      sink?.discard()
    }
    completion(
      DownloadResult(
        ending: ending ?? .failed(TransferFailure(.internalError, .permanent, "the download ended without a result")),
        attempts: result.attempts, mirror: result.mirror,
        servedBy: spec.endpoints[result.mirror].servedBy, bytesReceived: received,
        bytesResumed: resumed, duration: loop.now - started, parked: parked,
        bytesParked: parked == nil ? 0 : usefulBytes, excessSize: excessSize))
  }

  /// Keeps the part when a later run can continue it, else removes it; returns the version of a kept part.
  private func putAside(after failure: TransferFailure) -> ObjectVersion? {
    guard let sink else { return nil }
    switch failure.failureClass {
    case .transient, .throttled, .cancelled, .unauthenticated:
      guard spec.keepsParts, version.mayResume, sink.position >= DownloadSpec.resumableBytes else { break }
      sink.park()
      return version
    case .permanent, .integrity, .local: break
    }
    sink.discard()
    return nil
  }
}

// MARK: - Requests

extension ObjectDownload: AttemptClient {
  package var usefulBytes: Int64 { sink?.position ?? 0 }

  package var place: String { spec.endpoints[mirror].servedBy }

  package func willWait(_ wait: Duration, after failure: TransferFailure) { spec.waits?(failure, wait) }

  package func makeRequest(mirror index: Int) throws(TransferFailure) -> HTTPRequest {
    mirror = index
    let endpoint = spec.endpoints[index]
    let offset = offsetToAskFor(endpoint)
    let generation = spec.pins.generation ?? (offset > 0 ? version.generation : listed?.generation)
    var request = endpoint.mediaRequest(
      generation: generation, unlessStill: offset == 0 ? spec.known : nil, stored: storedEncoding)
    request.timeouts = spec.timeouts
    request.expectedBytes = listed?.size ?? spec.pins.size ?? version.size
    if offset > 0 {
      request.fields.append("Range", ByteRange(first: offset).fieldValue)
      if generation == nil, case .strongETag(let tag)? = version.validator { request.fields.append("If-Range", tag) }
    }
    return request
  }

  /// 0 = the whole object: nothing is there, or what is there cannot be continued.
  private func offsetToAskFor(_ endpoint: any ObjectEndpoint) -> Int64 {
    guard let sink, sink.position > 0, version.mayResume, !rangesDisabled, !isTranscoded else { return 0 }
    let request = endpoint.mediaRequest(generation: nil, unlessStill: nil, stored: storedEncoding)
    return services.hosts.ignoresRanges(request.url.origin) ? 0 : sink.position
  }

  private var askedOffset: Int64 { offsetToAskFor(spec.endpoints[mirror]) }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    spec.endpoints[mirror].explain(head, body: body)
  }
}

// MARK: - Answers

extension ObjectDownload {
  package func judge(_ head: HTTPResponseHead, from url: HTTPURL) -> HeadJudgement? {
    let response: ObjectVersion
    do throws(GoogHash.Contradiction) {
      response = try ObjectVersion.read(head).version
    } catch {
      return .fail(
        TransferFailure(
          .protocolViolation, .permanent, "\(url) names two different \(error.algorithm.rawValue) checksums",
          httpStatus: head.status))
    }
    let offset = askedOffset
    if head.status == 304, offset == 0, spec.known != nil {
      ending = .unchanged
      return .done
    }
    if head.status == 404 || head.status == 412, let replaced = replacedUnderUs(offset: offset, status: head.status) {
      return .fail(replaced)
    }
    let range = head.fields["Content-Range"].flatMap(ContentRange.init(parsing:))
    let part = ResumeDecision.Part(offset: offset, version: version)
    switch ResumeDecision.decide(part: part, status: head.status, contentRange: range, response: response) {
    case nil: return nil
    case .refuse?: return .fail(StatusTable.failure(status: head.status, place: url.description, policy: spec.retry))
    case .append?: return append(head, range, response)
    case .takeFromStart?:
      if offset > 0, head.status == 200 { services.hosts.noteIgnoresRanges(url.origin) }
      return takeFromStart(head, range, response, url)
    case .startOver(let withoutRange)?:
      rangesDisabled = rangesDisabled || withoutRange
      let reason: ReasonCode = withoutRange ? .rangeNotSatisfiable : .changedDuringTransfer
      return .fail(
        TransferFailure(
          reason, .integrity, "\(url): what was kept cannot be continued from this answer (\(head.status))",
          httpStatus: head.status))
    case .alreadyComplete?:
      total = offset
      return .done
    }
  }

  /// The generation that a listing named is gone: the object was replaced meanwhile, so take the live one.
  private func replacedUnderUs(offset: Int64, status: Int) -> TransferFailure? {
    guard spec.pins.generation == nil, listed?.generation != nil || (offset > 0 && version.generation != nil) else {
      return nil
    }
    listed = nil
    return TransferFailure(
      .changedDuringTransfer, .integrity,
      "\(spec.endpoints[mirror].servedBy): the object was replaced or removed during the run", httpStatus: status)
  }

  private func append(_ head: HTTPResponseHead, _ range: ContentRange?, _ response: ObjectVersion) -> HeadJudgement {
    if case .bytes(_, _, let whole)? = range { total = whole ?? version.size }
    version = version.merging(response)
    return .takeBody
  }

  private func takeFromStart(
    _ head: HTTPResponseHead, _ range: ContentRange?, _ response: ObjectVersion, _ url: HTTPURL
  ) -> HeadJudgement {
    let form = ServedForm(of: head, known: storedEncoding)
    if form == .decompressed, storedEncoding != .gzip {
      // The stored bytes are gzip and came decoded, without a length or checksum that fits: ask for them as they are.
      storedEncoding = .gzip
      return .fail(TransferFailure(.unexpectedContent, .integrity, "\(url): the server decodes unless told not to"))
    }
    isTranscoded = form != .stored
    if let wanted = spec.pins.generation, let found = response.generation, found != wanted {
      // Not every server takes `generation=` for an order; Firebase's has no such parameter.
      return .fail(
        TransferFailure(
          .preconditionFailed, .permanent,
          "\(spec.endpoints[mirror].servedBy) has generation \(found), but \(wanted) is pinned",
          hint: "Pin the live generation, or ask for the older one through Google's API (`api: gcs`)."))
    }
    if let listed, listed.isContradicted(by: response) { self.listed = nil }
    version = response.merging(listed)
    total = isTranscoded ? nil : head.contentLength ?? response.size
    if case .bytes(_, _, let whole)? = range { total = whole }
    if let failure = refusal(of: total, url) { return .fail(failure) }
    do throws(TransferFailure) {
      let form = StoredEncoding(contentEncoding: isTranscoded ? nil : version.contentEncoding)
      if let sink, form == sinkForm {
        try sink.restart()
      } else {
        sink?.discard()
        sink = try openSink(for: version)
        // A part of which nothing is known is of no use; opening does not truncate it.
        if sink?.position ?? 0 > 0 { try sink?.restart() }
      }
    } catch {
      return .fail(error)
    }
    resumed = 0
    return .takeBody
  }

  /// What can be refused before a byte of the body has come.
  private func refusal(of length: Int64?, _ url: HTTPURL) -> TransferFailure? {
    guard let length else { return nil }
    if let limit = spec.maxSize, length > limit {
      excessSize = length
      return TransferFailure(
        .sizeLimitExceeded, .permanent,
        "\(url) has \(length) bytes, more than the \(limit) that `max_size` allows",
        hint: "Raise `max_size` if it is meant to be that large.")
    }
    if let pinned = spec.pins.size, length != pinned {
      return TransferFailure(
        .sizeMismatch, .integrity, "\(url) has \(length) bytes, but \(pinned) are pinned by `size`")
    }
    return nil
  }

  package func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
    guard let sink else { return TransferFailure(.internalError, .permanent, "bytes came before a head") }
    received += Int64(bytes.count)
    spec.progress?.add(Int64(bytes.count))
    if let limit = spec.maxSize, sink.position + Int64(bytes.count) > limit {
      excessSize = total ?? sink.position + Int64(bytes.count)
      return TransferFailure(
        .sizeLimitExceeded, .permanent,
        "\(spec.endpoints[mirror].servedBy) is larger than the \(limit) bytes that `max_size` allows",
        hint: "Raise `max_size` if it is meant to be that large.")
    }
    do throws(TransferFailure) {
      try sink.write(bytes)
    } catch {
      return error
    }
    spec.advanced?(sink.position, total)
    if !announcedResumable, sink.position >= DownloadSpec.resumableBytes, version.mayResume {
      announcedResumable = true
      spec.becameResumable?(version)
    }
    return nil
  }

  package func startOver() -> TransferFailure? {
    resumed = 0
    total = nil
    version = ObjectVersion()
    announcedResumable = false
    do throws(TransferFailure) {
      try sink?.restart()
    } catch {
      return error
    }
    return nil
  }

  package func finish(_ end: ExchangeEnd) -> TransferFailure? {
    if case .unchanged? = ending { return nil }
    guard let sink else { return TransferFailure(.internalError, .permanent, "the answer had no body to take") }
    do throws(TransferFailure) {
      let received = DownloadProof.Received(
        size: sink.position, total: total, wasFramed: end.lengthWasFramed, lacksFarewell: end.lacksTLSFarewell,
        isTranscoded: isTranscoded, digests: try sink.digests(), version: version)
      let evidence = try DownloadProof.evidence(
        for: received, pins: spec.pins, proof: spec.proof, place: spec.endpoints[mirror].servedBy)
      var object = StoredObject(
        version: version, digests: received.digests, size: received.size, evidence: evidence)
      object.version.size = received.size
      if case .equal? = spec.standing?.compare(with: received.digests) {
        sink.discard()
        ending = .identical(object)
      } else {
        object.stamp = try sink.commit(modified: spec.keepsModified ? version.lastModified : nil)
        if let decoding = sink as? DecodingSink { object.fileDigests = decoding.decodedDigests ?? DigestSet() }
        ending = .stored(object)
      }
      self.sink = nil
      return nil
    } catch {
      return error
    }
  }
}

extension ObjectVersion {
  /// This, completed by what another source says of the same version.
  fileprivate func merging(_ other: ObjectVersion?) -> ObjectVersion {
    guard let other else { return self }
    var merged = self
    merged.generation = generation ?? other.generation
    merged.etag = etag ?? other.etag
    merged.lastModified = lastModified ?? other.lastModified
    merged.size = size ?? other.size
    merged.contentEncoding = contentEncoding ?? other.contentEncoding
    merged.digests = digests.completed(by: other.digests)
    return merged
  }
}
