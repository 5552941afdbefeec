// Asks what version a plain URL has now, without taking its bytes.

package import TransferModel

extension TransferServices {
  /// The version of what stands at a URL: by HEAD, or by a GET that is dropped after its head. Nothing depends on HEAD, which
  /// many servers answer with 403 or 405 or not at all (P49): it is sent once, waited for no longer than five seconds, and not
  /// again to a host that it was no use to ask.
  ///
  /// | HEAD | what follows |
  /// | --- | --- |
  /// | 200 | the version |
  /// | 404, 410; credentials, this machine, cancelled | the failure |
  /// | every other failure | GET, with all the patience of `retry` |
  ///
  /// Throws the failure that ended it.
  package func version(
    at url: HTTPURL, timeouts: TransferTimeouts, retry: RetryPolicy, deadline: Duration?, onLoop index: Int = 0
  ) async throws(TransferFailure) -> ObjectVersion {
    if !hosts.avoidsHead(url.origin) {
      var (brief, once) = (timeouts, retry)
      brief.idle = min(brief.idle, .seconds(5))
      once.budget = .zero
      do throws(TransferFailure) {
        return try await probe(url, by: .head, brief, once, deadline, onLoop: index)
      } catch {
        guard Self.mayGetDoBetter(than: error) else { throw error }
        hosts.noteAvoidsHead(url.origin)
      }
    }
    return try await probe(url, by: .get, timeouts, retry, deadline, onLoop: index)
  }

  private static func mayGetDoBetter(than failure: TransferFailure) -> Bool {
    switch failure.failureClass {
    case .local, .cancelled, .unauthenticated: false
    case .permanent, .integrity: failure.reason != .notFound
    case .transient, .throttled: true
    }
  }

  private func probe(
    _ url: HTTPURL, by method: HTTPRequest.Method, _ timeouts: TransferTimeouts, _ retry: RetryPolicy,
    _ deadline: Duration?, onLoop index: Int
  ) async throws(TransferFailure) -> ObjectVersion {
    let version = try await run(onLoop: index, policy: retry, deadline: deadline) {
      VersionProbe(url, by: method, timeouts: timeouts)
    }
    guard let version else { throw TransferFailure(.internalError, .permanent, "\(url): no head was kept") }
    return version
  }
}

/// The client of one probe.
private final class VersionProbe: AttemptClient, ResultingClient {
  private let url: HTTPURL
  private let timeouts: TransferTimeouts
  private let method: HTTPRequest.Method
  private(set) var outcome: ObjectVersion?

  init(_ url: HTTPURL, by method: HTTPRequest.Method, timeouts: TransferTimeouts) {
    self.url = url
    self.method = method
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
    default:
      return nil
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? { nil }
  func finish(_ end: ExchangeEnd) -> TransferFailure? { nil }
  func startOver() -> TransferFailure? { nil }
  func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation { ServerExplanation() }
}
