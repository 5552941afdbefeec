// Asks what version a plain URL has now, without taking its bytes.

package import TransferModel

extension TransferServices {
  /// The version of what stands at a URL: by HEAD, or by a GET that is dropped after its head where HEAD is refused
  /// (P49: many servers answer it with 403 or 405).
  ///
  /// Throws the failure that ended it.
  package func version(
    at url: HTTPURL, timeouts: TransferTimeouts, retry: RetryPolicy, deadline: Duration?, onLoop index: Int = 0
  ) async throws(TransferFailure) -> ObjectVersion {
    let probe = try await run(onLoop: index, policy: retry, deadline: deadline) {
      VersionProbe(url, timeouts: timeouts)
    }
    guard let version = probe else {
      throw TransferFailure(.internalError, .permanent, "\(url): no head was kept")
    }
    return version
  }
}

/// The client of one probe.
private final class VersionProbe: AttemptClient, ResultingClient {
  private let url: HTTPURL
  private let timeouts: TransferTimeouts
  private var method = HTTPRequest.Method.head
  private(set) var outcome: ObjectVersion?

  init(_ url: HTTPURL, timeouts: TransferTimeouts) {
    self.url = url
    self.timeouts = timeouts
  }

  let usefulBytes: Int64 = 0

  var place: String { url.description }

  func makeRequest(mirror index: Int) -> HTTPRequest {
    var request = HTTPRequest(method, url, timeouts: timeouts)
    request.fields.append("Accept-Encoding", "identity")
    return request
  }

  func judge(_ head: HTTPResponseHead, from url: HTTPURL) -> HeadJudgement? {
    switch head.status {
    case 200:
      do throws(GoogHash.Contradiction) {
        outcome = try ObjectVersion.read(head).version
        return .done
      } catch {
        return .fail(
          TransferFailure(
            .protocolViolation, .permanent, "\(url) names two different \(error.algorithm.rawValue) checksums"))
      }
    case 400, 403, 405, 501:
      guard method == .head else { return nil }
      method = .get
      return .fail(
        TransferFailure(
          .unexpectedStatus, .integrity, "\(url): HEAD is answered \(head.status)", httpStatus: head.status))
    default:
      return nil
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? { nil }
  func finish(_ end: ExchangeEnd) -> TransferFailure? { nil }
  func startOver() -> TransferFailure? { nil }
  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation { ServerExplanation() }
}
