// One version, as several sources tell of it.

import TransferModel

extension ObjectVersion {
  /// This, completed by what another source says of the same version.
  func merging(_ other: ObjectVersion?) -> ObjectVersion {
    guard let other else { return self }
    var merged = self
    merged.generation = generation ?? other.generation
    merged.etag = etag ?? other.etag
    merged.lastModified = lastModified ?? other.lastModified
    merged.size = size ?? other.size
    merged.contentEncoding = contentEncoding ?? other.contentEncoding
    merged.digests = digests.completed(by: other.digests)
    return merged
  }
}
