// What the head of an answer means for a download. The table is `ResumeDecision`.

package import TransferModel

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
    case .refuse?:
      return .fail(StatusTable.failure(status: head.status, place: url.description, policy: spec.terms.retry))
    case .append?: return append(head, range, response, url)
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

  private func append(
    _ head: HTTPResponseHead, _ range: ContentRange?, _ response: ObjectVersion, _ url: HTTPURL
  ) -> HeadJudgement {
    if case .bytes(_, _, let whole)? = range { total = whole ?? version.size }
    if let failure = spec.owner.refusal(ofBody: total.map { $0 - usefulBytes }) { return .fail(failure) }
    version = version.merging(response)
    openRanges(head, url)
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
    if let failure = spec.endpoints[mirror].refusal(
      of: response, known: version, pins: spec.pins.digests, proof: spec.terms.proof)
    {
      return .fail(failure)
    }
    total = isTranscoded ? nil : head.contentLength ?? response.size
    if case .bytes(_, _, let whole)? = range { total = whole }
    if let failure = refusal(of: total, url) ?? spec.owner.refusal(ofBody: total ?? head.contentLength) {
      return .fail(failure)
    }
    if let failure = emptySink() { return .fail(failure) }
    resumed = 0
    openRanges(head, url)
    return .takeBody
  }

  /// Makes the sink one for the bytes that are coming, with nothing in it.
  private func emptySink() -> TransferFailure? {
    endStreams()
    forgetRecord()
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
      return nil
    } catch {
      return error
    }
  }

  /// What can be refused before a byte of the body has come.
  private func refusal(of length: Int64?, _ url: HTTPURL) -> TransferFailure? {
    guard let length else { return nil }
    if let limit = spec.terms.maxSize, length > limit {
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
}
