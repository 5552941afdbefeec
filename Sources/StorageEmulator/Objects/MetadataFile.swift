// The `--metadata` file: what files alone cannot say of the objects they stand for.

import TransferModel

/// One JSON object: bucket names, below them object names, below those the fields of Google's object resource that can be
/// written, and `downloadTokens` (a text, separated by commas) and `componentCount`.
///
/// ```json
/// {"photos": {"a.txt": {"contentType": "text/plain", "contentEncoding": "gzip", "metadata": {"k": "v"}}}}
/// ```
enum MetadataFile {
  static func declare(_ text: String, in store: ObjectStore) throws(EmulatorFailure) {
    guard !text.isEmpty else { return }
    let json: JSONValue
    do {
      json = try JSONValue(parsing: Array(text.utf8))
    } catch {
      throw EmulatorFailure("metadata file: \(error)")
    }
    guard case .object(let buckets) = json else {
      throw EmulatorFailure("metadata file: expected an object of buckets")
    }
    for member in buckets {
      let bucket = member.key
      guard case .object(let objects) = member.value else {
        throw EmulatorFailure("metadata file: bucket '\(bucket)' is no object of objects")
      }
      for object in objects {
        let (name, fields) = (object.key, object.value)
        var metadata = ObjectMetadata()
        guard metadata.merge(fields) else {
          throw EmulatorFailure("metadata file: '\(bucket)/\(name)' has a field of a wrong type")
        }
        if let tokens = fields["downloadTokens"]?.string {
          metadata.downloadTokens = tokens.split(separator: ",").map(String.init)
        }
        metadata.componentCount = fields["componentCount"]?.int64.map { Int($0) }
        store.declare(bucket, name, metadata)
      }
    }
  }
}
