// The same operations with completion handlers, in the two forms that the Apple SDK has.

public import Foundation

/// Each completion is called once, on ``Storage/callbackQueue``. Nothing need be kept alive meanwhile.
extension StorageReference {
  /// ``getMetadata()`` with a completion handler.
  public func getMetadata(completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void) {
    storage.perform(completion) { try await self.getMetadata() }
  }

  /// ``getMetadata()`` with a completion handler that is given the metadata or the error.
  public func getMetadata(completion: @escaping @Sendable (StorageMetadata?, (any Error)?) -> Void) {
    getMetadata(completion: Self.taking(completion))
  }

  /// ``updateMetadata(_:)`` with a completion handler. `metadata` is taken as it is now.
  public func updateMetadata(
    _ metadata: StorageMetadata, completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void
  ) {
    let metadata = metadata.copy()
    storage.perform(completion) { try await self.updateMetadata(metadata) }
  }

  /// ``updateMetadata(_:)`` with a completion handler that is given the new metadata or the error; without one, nothing is
  /// reported.
  public func updateMetadata(
    _ metadata: StorageMetadata, completion: (@Sendable (StorageMetadata?, (any Error)?) -> Void)? = nil
  ) {
    updateMetadata(metadata, completion: Self.taking { completion?($0, $1) })
  }

  /// ``downloadURL()`` with a completion handler.
  public func downloadURL(completion: @escaping @Sendable (Result<URL, any Error>) -> Void) {
    storage.perform(completion) { try await self.downloadURL() }
  }

  /// ``downloadURL()`` with a completion handler that is given the URL or the error.
  public func downloadURL(completion: @escaping @Sendable (URL?, (any Error)?) -> Void) {
    downloadURL(completion: Self.taking(completion))
  }

  /// ``listAll()`` with a completion handler.
  public func listAll(completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void) {
    storage.perform(completion) { try await self.listAll() }
  }

  /// ``listAll()`` with a completion handler that is given the list or the error.
  public func listAll(completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void) {
    listAll(completion: Self.taking(completion))
  }

  /// ``list(maxResults:)`` with a completion handler.
  public func list(
    maxResults: Int64, completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void
  ) {
    storage.perform(completion) { try await self.list(maxResults: maxResults) }
  }

  /// ``list(maxResults:)`` with a completion handler that is given the page or the error.
  public func list(
    maxResults: Int64, completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void
  ) {
    list(maxResults: maxResults, completion: Self.taking(completion))
  }

  /// ``list(maxResults:pageToken:)`` with a completion handler.
  public func list(
    maxResults: Int64, pageToken: String,
    completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void
  ) {
    storage.perform(completion) { try await self.list(maxResults: maxResults, pageToken: pageToken) }
  }

  /// ``list(maxResults:pageToken:)`` with a completion handler that is given the page or the error.
  public func list(
    maxResults: Int64, pageToken: String,
    completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void
  ) {
    list(maxResults: maxResults, pageToken: pageToken, completion: Self.taking(completion))
  }

  /// Takes a result apart: of value and error exactly one is given.
  static func taking<Value>(
    _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void
  ) -> @Sendable (Result<Value, any Error>) -> Void {
    { result in
      switch result {
      case .success(let value): completion(value, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }
}
