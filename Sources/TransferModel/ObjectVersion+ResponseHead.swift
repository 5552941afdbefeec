// What a response says about the version of the object that it carries.

extension ObjectVersion {
  /// Reads the head of an answer to a request for one object. Every field is optional; `warnings` has one sentence for each
  /// checksum that could not be read and counts as absent.
  ///
  /// | part | from |
  /// | --- | --- |
  /// | `generation` | `x-goog-generation` |
  /// | `etag`, `lastModified` | `ETag` as sent, `Last-Modified` |
  /// | `size` | `x-goog-stored-content-length`, else the total of `Content-Range`, else `Content-Length` of a 200 |
  /// | `digests` | all `x-goog-hash` fields; they cover the whole stored object, also in a 206 |
  /// | `contentEncoding` | `x-goog-stored-content-encoding`, else `Content-Encoding` |
  ///
  /// Throws when the head names two different checksums of one algorithm.
  package static func read(
    _ head: HTTPResponseHead
  ) throws(GoogHash.Contradiction) -> (version: ObjectVersion, warnings: [String]) {
    let fields = head.fields
    let hashes = try GoogHash.read(fields.values("x-goog-hash"))
    let encoding = fields["x-goog-stored-content-encoding"] ?? fields["Content-Encoding"]
    let version = ObjectVersion(
      generation: fields["x-goog-generation"].flatMap { ASCII.number($0.utf8) },
      etag: fields["ETag"],
      lastModified: fields.withValue(of: "Last-Modified") { date($0, in: fields) },
      size: size(head),
      digests: hashes.digests,
      contentEncoding: encoding.flatMap { ASCII.equalIgnoringCase($0.utf8, "identity".utf8) ? nil : $0 })
    return (version, hashes.warnings)
  }

  /// The server's own date is needed, and read, for a year of two digits only.
  private static func date(_ text: UnsafeBufferPointer<UInt8>, in fields: HTTPFields) -> Timestamp? {
    Timestamp(httpDate: text, now: nil)
      ?? fields.withValue(of: "Date") { Timestamp(httpDate: $0, now: nil) }.flatMap {
        Timestamp(httpDate: text, now: $0)
      }
  }

  private static func size(_ head: HTTPResponseHead) -> Int64? {
    if let stored = head.fields["x-goog-stored-content-length"].flatMap({ ASCII.number($0.utf8) }) { return stored }
    switch head.fields["Content-Range"].flatMap({ ContentRange(parsing: $0) }) {
    case .bytes(_, _, let total) where head.status == 206: return total
    case .unsatisfied(let total) where head.status == 416: return total
    case .bytes, .unsatisfied, nil: return head.status == 200 ? head.contentLength : nil
    }
  }
}
