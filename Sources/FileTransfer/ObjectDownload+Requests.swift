// Which request of a download comes next.

package import TransferModel

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

  var askedOffset: Int64 { offsetToAskFor(spec.endpoints[mirror]) }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    spec.endpoints[mirror].explain(head, body: body)
  }
}
