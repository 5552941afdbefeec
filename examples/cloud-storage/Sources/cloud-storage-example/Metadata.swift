// Reading and changing what is said about an object.

import CloudStorage

func describeMetadata(of reference: StorageReference) async throws -> String {
  let metadata = try await reference.getMetadata()
  return "\(metadata.size) bytes of \(metadata.contentType ?? "unknown type"), generation \(metadata.generation)"
}

/// Changes two fields and takes one away. Only these go over the wire.
func describeAsPhoto(_ reference: StorageReference) async throws -> StorageMetadata {
  let metadata = try await reference.getMetadata()
  metadata.contentType = "image/jpeg"
  metadata.cacheControl = nil
  metadata.customMetadata = (metadata.customMetadata ?? [:]).merging(["album": "stars"]) { _, new in new }
  return try await reference.updateMetadata(metadata)
}

/// The same with a completion handler, which is called on `storage.callbackQueue`.
func size(of reference: StorageReference, completion: @escaping @Sendable (Int64?) -> Void) {
  reference.getMetadata { metadata, error in
    if let error { print(explain(error)) }
    completion(metadata?.size)
  }
}
