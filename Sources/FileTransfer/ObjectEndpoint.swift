// One place from which an object's bytes can be had, in whatever dialect it speaks.

package import TransferModel

/// Builds the requests for one object and reads its server's errors. A value: nothing is sent from here.
package protocol ObjectEndpoint: Sendable {
  /// A request for the stored bytes, without range and without credentials.
  ///
  /// - Parameters:
  ///   - generation: the version to fetch; nil = the live one. Ignored where the server knows no generations.
  ///   - known: the version that would be no news: with it the server may answer 304. nil = send the bytes in any case.
  ///   - stored: how the bytes are stored, which decides what has to be said to get just those (`StoredEncoding`).
  func mediaRequest(generation: Int64?, unlessStill known: Validator?, stored: StoredEncoding) -> HTTPRequest

  /// Where the bytes come from, for the report: redacted.
  var servedBy: String { get }

  /// Whether the service always names version and checksum of what it sends, so that an answer with neither is somebody
  /// else's: a proxy's, a login page.
  var alwaysNamesVersions: Bool { get }

  /// Reads an error body.
  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation
}

extension ObjectEndpoint {
  package var alwaysNamesVersions: Bool { false }

  /// Why the body of an answer that says this much of its version is not taken; nil = it is. `known` is that together with
  /// what a listing said.
  func refusal(
    of response: ObjectVersion, known: ObjectVersion, pins: DigestSet, proof: DownloadTerms.Proof
  ) -> TransferFailure? {
    guard alwaysNamesVersions, proof != .length, pins.isEmpty, response.generation == nil, known.digests.isEmpty
    else { return nil }
    return TransferFailure(
      .unexpectedContent, .permanent, "\(servedBy): the answer names neither generation nor checksum",
      hint: "It is not the storage service's: a proxy or a login page may stand in between.")
  }
}

/// A plain http(s) URL, fetched exactly as written.
package struct WebEndpoint: ObjectEndpoint {
  package let url: HTTPURL

  package init(_ url: HTTPURL) { self.url = url }

  package var servedBy: String { RedactedURL(url).text }

  package func mediaRequest(generation: Int64?, unlessStill known: Validator?, stored: StoredEncoding) -> HTTPRequest {
    var request = HTTPRequest(.get, url)
    // Stored bytes are wanted: a coding that the server applies on the fly has no length and no hash (P01, P04).
    request.fields.append("Accept-Encoding", stored.acceptEncoding)
    switch known {
    case .strongETag(let tag), .weakETag(let tag): request.fields.append("If-None-Match", tag)
    case .lastModified(let date): request.fields.append("If-Modified-Since", date.httpDate)
    case .generation, nil: break
    }
    return request
  }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation { ServerExplanation() }
}
