// Which request of a download comes next.

package import TransferModel

extension ObjectDownload: AttemptClient {
  package var usefulBytes: Int64 {
    guard let divided = sink as? any DivisibleSink else { return sink?.position ?? 0 }
    return divided.stretches.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  package var place: String { spec.endpoints[mirror].servedBy }

  package func willWait(_ wait: Duration, after failure: TransferFailure) { spec.owner.waits(after: failure, wait) }

  package func makeRequest(mirror index: Int) throws(TransferFailure) -> HTTPRequest {
    mirror = index
    let endpoint = spec.endpoints[index]
    let range = rangeToAskFor(endpoint)
    askedOffset = range?.first ?? 0
    isOpenEnded = range?.last == nil
    let generation = spec.pins.generation ?? (range == nil ? listed?.generation : version.generation)
    var request = endpoint.mediaRequest(
      generation: generation, unlessStill: range == nil ? spec.known : nil, stored: storedEncoding)
    request.timeouts = spec.terms.timeouts
    request.expectedBytes = listed?.size ?? spec.pins.size ?? version.size
    if let range { _ = request.ask(for: range, of: version, generation: generation) }
    return request
  }

  /// nil = the whole object: nothing is there, or what is there cannot be continued.
  private func rangeToAskFor(_ endpoint: any ObjectEndpoint) -> ByteRange? {
    guard let sink, sink.position > 0, version.mayResume, !rangesDisabled, !isTranscoded else { return nil }
    let request = endpoint.mediaRequest(generation: nil, unlessStill: nil, stored: storedEncoding)
    guard !services.hosts.ignoresRanges(request.url.origin) else { return nil }
    if let ranges {
      guard let piece = ranges.pieceOfFirst() else { return nil }
      return ByteRange(first: piece.next, last: piece.end < ranges.plan.total ? piece.end - 1 : nil)
    }
    // A part with holes is asked for hole by hole.
    let next = (sink as? any DivisibleSink)?.stretches.dropFirst().first
    return ByteRange(first: sink.position, last: next.map { $0.lowerBound - 1 })
  }

  /// The request of a further stream, and whether its answer is bound to `version` by the request itself.
  func rangeRequest(_ range: ByteRange) -> (HTTPRequest, isConditional: Bool) {
    let generation = spec.pins.generation ?? version.generation
    var request = spec.endpoints[mirror].mediaRequest(generation: generation, unlessStill: nil, stored: storedEncoding)
    request.timeouts = spec.terms.timeouts
    request.expectedBytes = range.last.map { $0 - range.first + 1 }
    let isConditional = request.ask(for: range, of: version, generation: generation)
    return (request, isConditional)
  }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    spec.endpoints[mirror].explain(head, body: body)
  }
}

extension HTTPRequest {
  /// Asks for a range; true when the server is told to send it of this version only, by its strong ETag.
  fileprivate mutating func ask(for range: ByteRange, of version: ObjectVersion, generation: Int64?) -> Bool {
    fields.append("Range", range.fieldValue)
    guard generation == nil, case .strongETag(let tag)? = version.validator else { return false }
    fields.append("If-Range", tag)
    return true
  }
}
