// One operation of a reference on its way to the service: addresses, credentials, retries, and what becomes of a failure.

package import FileTransfer
import Foundation
package import StorageCore
package import TransferModel

/// What is needed for the requests of one operation. Made anew for each operation (`Storage.operation`).
package struct StorageOperation: Sendable {
  package let path: StoragePath
  package let service: ObjectService
  package let services: TransferServices
  package let retry: RetryPolicy
  /// The transport's loop that carries it.
  package let loop: Int
  private let authorizer: OperationAuthorizer
  private let answers = AnswerKeeper()
  private let googleAppID: String?

  /// - Parameters:
  ///   - origin: nil = the real service.
  ///   - retryTime: in seconds; see `Storage.maxOperationRetryTime`.
  init(
    path: StoragePath, origin: Origin?, options: StorageOptions, retryTime: TimeInterval, engine: StorageEngine
  ) {
    self.path = path
    // A week is as good as for ever, and NaN is no time at all.
    let seconds = retryTime > 0 ? min(retryTime, 604_800) : 0
    retry = RetryPolicy(budget: .seconds(seconds), maximum: .seconds(32))
    service = ObjectService(
      .firebase, origin: origin, timeouts: TransferTimeouts(idle: .seconds(min(30, max(1, seconds)))))
    authorizer = OperationAuthorizer(origin: service.origin, options: options)
    services = engine.services(authorizer: authorizer)
    loop = engine.pickLoop()
    googleAppID = options.googleAppID
  }

  /// The public error for a failure of this operation.
  package func error(_ failure: TransferFailure) -> StorageError {
    StorageError(failure, at: path, answer: answers.last, tokenError: authorizer.tokenError)
  }

  /// Sends a request that `service` built and gives the body of a 200.
  package func fetch(_ request: HTTPRequest) async throws(StorageError) -> [UInt8] {
    let spec = DocumentSpec(named(request), retry: retry) { [answers] in answers.explain($0, body: $1) }
    do throws(TransferFailure) {
      return try await services.fetch(spec, onLoop: loop).bytes
    } catch {
      throw self.error(error)
    }
  }

  /// The request with the fields that say who asks; none is a secret.
  package func named(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.fields.append("x-firebase-storage-version", "linux/\(StorageEngine.version)")
    if let googleAppID { request.fields.append("x-firebase-gmpid", googleAppID) }
    return request
  }
}

/// The object's bytes through Firebase's API.
extension StorageOperation: ObjectEndpoint {
  package var servedBy: String { "\(path)" }

  package func mediaRequest(
    generation: Int64?, unlessStill known: Validator?, stored: StoredEncoding
  ) -> HTTPRequest {
    let object = path.object ?? ObjectName("")
    return named(service.media(of: object, in: path.bucket, generation: generation, storedEncoding: stored))
  }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    answers.explain(head, body: body)
  }
}
