// One small document into memory: a listing page, metadata, a list of checksums. With the same retries as a file.

package import TransferModel

/// A document that was received whole.
package struct FetchedDocument: Sendable {
  package var head: HTTPResponseHead
  package var bytes: [UInt8]
}

/// What to fetch.
package struct DocumentSpec: Sendable {
  package var request: HTTPRequest
  /// No document is larger; a larger one fails.
  package var limit: ByteCount
  package var retry: RetryPolicy
  package var deadline: Duration?
  package var explain: @Sendable (HTTPResponseHead, [UInt8]) -> ServerExplanation

  package init(
    _ request: HTTPRequest, limit: ByteCount = ByteCount(64 << 20), retry: RetryPolicy = RetryPolicy(),
    deadline: Duration? = nil,
    explain: @escaping @Sendable (HTTPResponseHead, [UInt8]) -> ServerExplanation = { _, _ in ServerExplanation() }
  ) {
    self.request = request
    self.limit = limit
    self.retry = retry
    self.deadline = deadline
    self.explain = explain
  }
}

extension TransferServices {
  /// Fetches a document with retries, redirects and credentials; only a 200 is a document.
  ///
  /// Throws the failure that ended it; `cancelled` when the surrounding task was cancelled.
  package func fetch(_ spec: DocumentSpec, onLoop index: Int = 0) async throws(TransferFailure) -> FetchedDocument {
    let document = try await run(onLoop: index, policy: spec.retry, deadline: spec.deadline) { DocumentClient(spec) }
    guard let document else {
      throw TransferFailure(.internalError, .permanent, "\(spec.request.url): no answer was kept")
    }
    return document
  }
}

/// Collects one document.
private final class DocumentClient: AttemptClient, ResultingClient {
  private let spec: DocumentSpec
  private var head: HTTPResponseHead?
  private var bytes: [UInt8] = []

  init(_ spec: DocumentSpec) { self.spec = spec }

  var usefulBytes: Int64 { 0 }

  var place: String { spec.request.url.description }

  func makeRequest(mirror index: Int) -> HTTPRequest {
    bytes.removeAll(keepingCapacity: true)
    return spec.request
  }

  func judge(_ head: HTTPResponseHead, from url: HTTPURL) -> HeadJudgement? {
    guard head.status == 200 else { return nil }
    self.head = head
    if let length = head.contentLength, length > spec.limit.bytes { return .fail(tooLarge) }
    return .takeBody
  }

  func take(_ more: UnsafeRawBufferPointer) -> TransferFailure? {
    guard Int64(bytes.count + more.count) <= spec.limit.bytes else { return tooLarge }
    bytes.append(contentsOf: more)
    return nil
  }

  func finish(_ end: ExchangeEnd) -> TransferFailure? {
    guard end.lengthWasFramed || !bytes.isEmpty else {
      return TransferFailure(.truncated, .transient, "\(spec.request.url): an empty answer without a length")
    }
    return nil
  }

  func startOver() -> TransferFailure? {
    bytes.removeAll()
    return nil
  }

  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation { spec.explain(head, body) }

  var outcome: FetchedDocument? { head.map { FetchedDocument(head: $0, bytes: bytes) } }

  private var tooLarge: TransferFailure {
    TransferFailure(
      .sizeLimitExceeded, .permanent,
      "\(spec.request.url) is larger than the \(spec.limit) that such a document may have")
  }
}
