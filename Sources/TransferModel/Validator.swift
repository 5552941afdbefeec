// What ties bytes to one version of an object.

/// A token that the server changes whenever the object's bytes change, or something weaker.
///
/// | case | proves the same bytes? | may resume? |
/// | --- | --- | --- |
/// | `generation` | yes (Google never reuses one) | yes, pinned by `generation=` |
/// | `strongETag` | yes (RFC 9110 8.8.1) | yes, with `If-Range` |
/// | `weakETag` | no: semantically equal only | no |
/// | `lastModified` | no: one-second steps | no |
package enum Validator: Hashable, Sendable {
  case generation(Int64)
  /// The tag with its quotes, as sent by the server.
  case strongETag(String)
  /// The tag with `W/` and quotes, as sent by the server.
  case weakETag(String)
  case lastModified(Timestamp)

  /// Whether equal validators prove equal bytes.
  package var isStrong: Bool {
    switch self {
    case .generation, .strongETag: true
    case .weakETag, .lastModified: false
    }
  }
}

/// All that a response or a listing says about the version of one object. Every part may be missing.
package struct ObjectVersion: Hashable, Sendable {
  package var generation: Int64?
  /// As sent: quoted, or `W/` quoted; some emulators send it without quotes, which is kept too.
  package var etag: String?
  package var lastModified: Timestamp?
  /// The stored length in bytes.
  package var size: Int64?
  /// Digests of the stored bytes.
  package var digests: DigestSet
  /// `Content-Encoding` of the stored bytes; nil and `identity` are the same.
  package var contentEncoding: String?

  package init(
    generation: Int64? = nil, etag: String? = nil, lastModified: Timestamp? = nil, size: Int64? = nil,
    digests: DigestSet = DigestSet(), contentEncoding: String? = nil
  ) {
    self.generation = generation
    self.etag = etag
    self.lastModified = lastModified
    self.size = size
    self.digests = digests
    self.contentEncoding = contentEncoding
  }

  /// The strongest validator there is; nil when there is none.
  package var validator: Validator? {
    if let generation { return .generation(generation) }
    if let etag { return etag.hasPrefix("W/") ? .weakETag(etag) : .strongETag(etag) }
    if let lastModified { return .lastModified(lastModified) }
    return nil
  }
}
