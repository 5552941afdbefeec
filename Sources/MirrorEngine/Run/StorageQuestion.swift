// What is asked about one place in a bucket without a manifest: `mirror stat`, `url`, `ls`, `set-metadata`.
// Not for bytes: those are `SingleGet`'s.

import FileTransfer
package import MirrorPlan
package import StorageCore
package import TransferModel

/// One object or folder, and whoever answers for it. A value; any task may use it.
package struct StorageQuestion: Sendable {
  package let address: StorageAddress
  package let service: ObjectService
  private let services: TransferServices
  private let retry: RetryPolicy

  /// - Parameter retryBudget: nil = 2 minutes; someone waits for the answer.
  /// - Throws: a refusal when the reference is a plain URL, of which nothing of this can be asked, or when a credential is
  ///   missing.
  package init(
    _ reference: Reference, access: ServiceAccess, retryBudget: Duration?, environment: RunEnvironment
  ) throws(RunRefusal) {
    guard case .storage(let address) = reference else {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent, "\(reference.display) is a plain URL, not an object in a bucket",
          hint: "Name it as gs://BUCKET/OBJECT, or as a path in --bucket."))
    }
    let parts = try access.parts(environment)
    self.address = address
    service = parts.remote.service(at: address.endpoint)
    services = parts.services
    retry = RetryPolicy(budget: retryBudget ?? .seconds(120))
  }

  /// The same question about another object of the bucket.
  package func about(_ object: ObjectName?) -> StorageQuestion {
    StorageQuestion(self, StorageAddress(bucket: address.bucket, object: object, endpoint: address.endpoint))
  }

  private init(_ other: StorageQuestion, _ address: StorageAddress) {
    self.address = address
    service = other.service
    services = other.services
    retry = other.retry
  }

  /// Everything about the object but its bytes.
  package func metadata() async throws(TransferFailure) -> ObjectMetadata {
    try await metadata(service.metadata(of: try object(), in: address.bucket))
  }

  /// Changes the object's metadata by a JSON object, in which null takes a value away; gives what it is afterwards.
  package func change(_ body: [UInt8]) async throws(TransferFailure) -> ObjectMetadata {
    var request = service.metadata(of: try object(), in: address.bucket)
    request.method = .patch
    request.fields.append("Content-Type", "application/json; charset=UTF-8")
    request.body = body
    return try await metadata(request)
  }

  /// One page of a list.
  package func page(_ request: HTTPRequest) async throws(TransferFailure) -> ObjectListPage {
    try ObjectListPage(parsing: await bytes(request), api: service.api)
  }

  private func metadata(_ request: HTTPRequest) async throws(TransferFailure) -> ObjectMetadata {
    try ObjectMetadata(parsing: await bytes(request))
  }

  private func bytes(_ request: HTTPRequest) async throws(TransferFailure) -> [UInt8] {
    let spec = DocumentSpec(request, retry: retry) { head, body in
      ServerExplanation(ServiceError(status: head.status, body: body))
    }
    return try await services.fetch(spec).bytes
  }

  private func object() throws(TransferFailure) -> ObjectName {
    if let object = address.object { return object }
    throw TransferFailure(
      .invalidRequest, .permanent, "gs://\(address.bucket)/ is a bucket, not an object", hint: "Name an object in it.")
  }
}
