// Everything that is asked of the remote side beside the bytes themselves: metadata, heads, lists.

package import CloudStorage
package import FileTransfer
package import MirrorPlan
package import TransferModel

/// The remote side of one run. A value; any task may use it.
package struct RemoteStore: Sendable {
  package let services: TransferServices
  private let api: StorageAPI
  /// Where the storage APIs are; nil = the real services.
  private let emulator: Origin?
  private let retry: RetryPolicy
  private let userProject: String?

  /// - Parameters:
  ///   - retry: for metadata and lists; downloads have each entry's own.
  ///   - userProject: the project that pays where the requester does.
  package init(
    services: TransferServices, settings: StorageSettings, emulator: Origin?, retry: RetryPolicy,
    userProject: String? = nil
  ) {
    self.userProject = userProject
    self.services = services
    api = settings.api == .gcs ? .google : .firebase
    self.emulator = settings.emulator ?? emulator
    self.retry = retry
  }

  package func service(at endpoint: Origin?) -> ObjectService {
    ObjectService(api, origin: endpoint ?? emulator, userProject: userProject)
  }

  /// Whether a list says which version each object has; Firebase's hold names only.
  package var listsNameVersions: Bool { api == .google }

  /// The reference whose metadata must be asked because its API has no conditional download: Firebase's knows no
  /// generations, so the download itself would bring all bytes again. nil = the decision can be done as it is.
  func unaskable(_ decision: Decision, of entry: Entry) -> Int? {
    guard api == .firebase, case .conditional(.generation, let first)? = decision.fetch,
      case .storage = entry.references[first]
    else { return nil }
    return first
  }

  /// What brings the bytes of a reference; nil for one that names no object.
  package func endpoint(of reference: Reference) -> (any ObjectEndpoint)? {
    switch reference {
    case .web(let url): return WebEndpoint(url)
    case .storage(let address):
      guard let object = address.object else { return nil }
      return StorageEndpoint(service: service(at: address.endpoint), bucket: address.bucket, object: object)
    }
  }

  /// Finds out what version is there now, at the first of the references that has one: `absent` and `failed` mean that
  /// all of them said so. Begins with the reference at `first`.
  package func fact(of entry: Entry, first: Int, loop: Int) async -> RemoteFact {
    var worst = RemoteFact.absent
    for offset in 0..<entry.references.count {
      let reference = entry.references[(first + offset) % entry.references.count]
      let fact = await fact(of: reference, generation: entry.generation, settings: entry.settings, loop: loop)
      switch fact {
      case .present: return fact
      case .failed: worst = fact
      case .absent, .notAsked: break
      }
    }
    return worst
  }

  private func fact(
    of reference: Reference, generation: Int64?, settings: TransferSettings, loop: Int
  ) async -> RemoteFact {
    do throws(TransferFailure) {
      switch reference {
      case .web(let url):
        return .present(
          try await services.version(
            at: url, timeouts: settings.timeouts, retry: settings.retry, deadline: settings.itemDeadline, onLoop: loop))
      case .storage(let address):
        guard let object = address.object else { return .absent }
        let service = service(at: address.endpoint)
        var request = service.metadata(of: object, in: address.bucket, generation: generation)
        request.timeouts = settings.timeouts
        let document = try await services.fetch(
          DocumentSpec(
            request, limit: ByteCount(4 << 20), retry: settings.retry, deadline: settings.itemDeadline,
            explain: Self.explain), onLoop: loop)
        return .present(try ObjectMetadata(parsing: document.bytes).version)
      }
    } catch {
      return error.reason == .notFound ? .absent : .failed(error)
    }
  }

  /// One list page.
  package func page(_ request: HTTPRequest, service: ObjectService) async throws(TransferFailure) -> ObjectListPage {
    let document = try await services.fetch(DocumentSpec(request, retry: retry, explain: Self.explain))
    return try ObjectListPage(parsing: document.bytes, api: service.api)
  }

  /// A checksum document, as bytes.
  package func document(_ url: HTTPURL, settings: TransferSettings) async throws(TransferFailure) -> [UInt8] {
    try await services.fetch(
      DocumentSpec(
        HTTPRequest(.get, url, timeouts: settings.timeouts), limit: ByteCount(16 << 20), retry: settings.retry)
    ).bytes
  }

  private static func explain(_ head: HTTPResponseHead, _ body: [UInt8]) -> ServerExplanation {
    ServerExplanation(ServiceError(status: head.status, body: body))
  }
}
