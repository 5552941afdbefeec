// An object in a bucket, as something that can be downloaded.

package import FileTransfer
package import StorageCore
package import TransferModel

/// The media of one object, by one of the two storage APIs.
package struct StorageEndpoint: ObjectEndpoint {
  package let service: ObjectService
  package let bucket: String
  package let object: ObjectName

  package init(service: ObjectService, bucket: String, object: ObjectName) {
    self.service = service
    self.bucket = bucket
    self.object = object
  }

  package var servedBy: String { "gs://\(bucket)/\(object)" }
  package var alwaysNamesVersions: Bool { true }

  package func mediaRequest(generation: Int64?, unlessStill known: Validator?, stored: StoredEncoding) -> HTTPRequest {
    var unlessGeneration: Int64?
    if case .generation(let current)? = known { unlessGeneration = current }
    return service.media(
      of: object, in: bucket, generation: generation, unlessGeneration: unlessGeneration, storedEncoding: stored)
  }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    ServerExplanation(ServiceError(status: head.status, body: body))
  }
}

extension ServerExplanation {
  package init(_ error: ServiceError) { self.init(message: error.message, isRateLimit: error.isRateLimit) }
}
