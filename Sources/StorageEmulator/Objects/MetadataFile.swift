// The `--metadata` file: what files alone cannot say of the objects they stand for.

/// One JSON object: bucket names, below them object names, below those the fields of Google's object resource that can be
/// written, and `downloadTokens` (a text, separated by commas) and `componentCount`.
///
/// ```json
/// {"photos": {"a.txt": {"contentType": "text/plain", "contentEncoding": "gzip", "metadata": {"k": "v"}}}}
/// ```
enum MetadataFile {
  static func declare(_ text: String, in store: ObjectStore) throws(EmulatorFailure) {
    guard !text.isEmpty else { return }
    let json: JSON
    do {
      json = try JSON(parsing: Array(text.utf8))
    } catch {
      throw EmulatorFailure("metadata file: \(error)")
    }
    guard case .object(let buckets) = json else {
      throw EmulatorFailure("metadata file: expected an object of buckets")
    }
    for (bucket, value) in buckets {
      guard case .object(let objects) = value else {
        throw EmulatorFailure("metadata file: bucket '\(bucket)' is no object of objects")
      }
      for (name, fields) in objects {
        var metadata = ObjectMetadata()
        guard metadata.merge(fields) else {
          throw EmulatorFailure("metadata file: '\(bucket)/\(name)' has a field of a wrong type")
        }
        if let tokens = fields["downloadTokens"]?.stringValue {
          metadata.downloadTokens = tokens.split(separator: ",").map(String.init)
        }
        if case .number(let count)? = fields["componentCount"] { metadata.componentCount = Int(count) }
        store.declare(bucket, name, metadata)
      }
    }
  }
}
