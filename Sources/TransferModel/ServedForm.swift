// Whether the body of a response is the stored object or a form that the server made of it while sending.

/// How an object's bytes are stored, as far as the server would change them on the way. Google's servers know one content
/// coding, gzip; objects in any other (`br`) are always sent as they are.
package enum StoredEncoding: Hashable, Sendable {
  case unknown
  case identity
  case gzip

  /// From the `contentEncoding` of a listing or of metadata; nil and empty mean that nothing is set.
  package init(contentEncoding: String?) {
    guard let contentEncoding, !contentEncoding.isEmpty else {
      self = .identity
      return
    }
    let name = ASCII.trimmed(Substring(contentEncoding)).lowercased()
    self = name == "gzip" || name == "x-gzip" ? .gzip : .identity
  }

  /// The `Accept-Encoding` that brings the stored bytes.
  ///
  /// | stored | sent | because |
  /// | --- | --- | --- |
  /// | `gzip` | `gzip` | else the server sends it decompressed, without length, ranges or a checksum that fits |
  /// | `identity` | `identity` | else it may be compressed on the fly, with the same losses |
  /// | `unknown` | `identity` | the common case; a head that shows `ServedForm.decompressed` is asked for again as gzip |
  package var acceptEncoding: String { self == .gzip ? "gzip" : "identity" }
}

/// What the body is, compared with the stored bytes.
///
/// | case | length and checksums fit the body? | ranges? |
/// | --- | --- | --- |
/// | `stored` | yes | yes |
/// | `decompressed` | no | no: silently ignored |
/// | `compressed` | only after decompression | no |
package enum ServedForm: Hashable, Sendable {
  case stored
  case decompressed
  case compressed

  /// `known` is what a listing or metadata said; the head's own word wins.
  package init(of head: HTTPResponseHead, known: StoredEncoding = .unknown) {
    let fields = head.fields
    let isServedAsGzip =
      fields["Content-Encoding"].map { StoredEncoding(contentEncoding: $0) == .gzip } ?? false
    let marks = fields.values("Warning") + fields.values("X-GUploader-Response-Body-Transformations")
    if marks.contains(where: { $0.lowercased().contains("gunzipped") }) {
      self = .decompressed
      return
    }
    switch fields["x-goog-stored-content-encoding"].map({ StoredEncoding(contentEncoding: $0) }) ?? known {
    case .gzip: self = isServedAsGzip ? .stored : .decompressed
    case .identity: self = isServedAsGzip ? .compressed : .stored
    case .unknown: self = .stored
    }
  }
}
