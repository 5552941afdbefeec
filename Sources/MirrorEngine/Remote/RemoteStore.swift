// Everything that is asked of the remote side beside the bytes themselves: metadata, heads, lists.

package import FileTransfer
package import MirrorPlan
package import StorageCore
package import TransferModel

/// The remote side of one run. A value; any task may use it.
package struct RemoteStore: Sendable {
  package let services: TransferServices
  private let api: StorageAPI
  /// Where the storage APIs are; nil = the real services.
  private let emulator: Origin?
  /// Wins over the retry time of a list's own settings; nil = theirs.
  private let retryBudget: Duration?
  private let userProject: String?

  /// - Parameters:
  ///   - retryBudget: for lists, in place of their tree's or entries' own; nil = theirs.
  ///   - userProject: the project that pays where the requester does.
  package init(
    services: TransferServices, settings: StorageSettings, emulator: Origin?, retryBudget: Duration? = nil,
    userProject: String? = nil
  ) {
    self.userProject = userProject
    self.services = services
    api = settings.api == .gcs ? .google : .firebase
    self.emulator = settings.emulator ?? emulator
    self.retryBudget = retryBudget
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
        let metadata = try ObjectMetadata(parsing: document.bytes)
        if let name = metadata.name, name != object { throw Self.strangeName(name, for: address) }
        return .present(metadata.version)
      }
    } catch {
      return error.reason == .notFound ? .absent : .failed(error)
    }
  }

  /// An answer about another object than was asked for proves nothing about this one (P41).
  private static func strangeName(_ name: ObjectName, for address: StorageAddress) -> TransferFailure {
    TransferFailure(
      .unexpectedContent, .permanent,
      "\(Reference.storage(address).display): the server answers with the metadata of \(TerminalText.escape(name.text))",
      hint: "Something between here and the service changes requests or answers: a proxy, or an emulator's quirk.")
  }

  /// One list page, asked for with the patience of what it is for: a tree, or the entries that it answers.
  package func page(
    _ request: HTTPRequest, service: ObjectService, settings: TransferSettings
  ) async throws(TransferFailure) -> ObjectListPage {
    var (request, retry) = (request, settings.retry)
    request.timeouts = settings.timeouts
    if let retryBudget { retry.budget = retryBudget }
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
