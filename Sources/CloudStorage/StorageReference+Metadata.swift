// Reading and changing an object's metadata, and its long-lived URL.

public import Foundation
import StorageCore
import TransferModel

extension StorageReference {
  /// What the service says about the object.
  ///
  /// Throws a ``StorageError``: ``StorageError/objectNotFound(object:serverError:)`` when there is none,
  /// ``StorageError/invalidArgument(message:)`` at the root.
  public func getMetadata() async throws -> StorageMetadata { StorageMetadata(try await fetchMetadata()) }

  /// Sends what was changed in `metadata` since it was received, and gives what the service says afterwards. Where nothing
  /// was changed, the metadata is read again.
  ///
  /// Of a fresh ``StorageMetadata`` all that is set is sent.
  public func updateMetadata(_ metadata: StorageMetadata) async throws -> StorageMetadata {
    guard let changes = metadata.changes() else { return try await getMetadata() }
    let operation = try objectOperation()
    var request = metadataRequest(operation)
    request.method = .patch
    request.fields.append("Content-Type", "application/json; charset=UTF-8")
    request.body = changes
    return StorageMetadata(try await parse(operation.fetch(request), operation))
  }

  /// The object's long-lived URL, which needs no credential: whoever has it can read the object, until its token is revoked.
  ///
  /// Throws ``StorageError/unknown(message:serverError:)`` when the object has no download token.
  public func downloadURL() async throws -> URL {
    let metadata = try await fetchMetadata()
    let operation = try objectOperation()
    guard let link = metadata.downloadURL(of: path.address, at: operation.service),
      let url = URL(string: link.wireText)
    else { throw StorageError.unknown(message: "Failed to retrieve a download URL.", serverError: nil) }
    return url
  }

  private func fetchMetadata() async throws(StorageError) -> ObjectMetadata {
    let operation = try objectOperation()
    return try parse(await operation.fetch(metadataRequest(operation)), operation)
  }

  /// An operation that makes sense for an object only.
  private func objectOperation() throws(StorageError) -> StorageOperation {
    guard path.object != nil else {
      throw .invalidArgument(message: "\(self) is the root of a bucket, which has no metadata; name an object.")
    }
    return try storage.operation(.metadata, at: path)
  }

  private func metadataRequest(_ operation: StorageOperation) -> HTTPRequest {
    operation.service.metadata(of: path.object ?? ObjectName(""), in: bucket)
  }

  private func parse(_ bytes: [UInt8], _ operation: StorageOperation) throws(StorageError) -> ObjectMetadata {
    do {
      return try ObjectMetadata(parsing: bytes)
    } catch {
      throw operation.error(error)
    }
  }
}
