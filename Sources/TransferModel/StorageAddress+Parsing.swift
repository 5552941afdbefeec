// Reads the spellings of an object in a bucket.

extension StorageAddress {
  /// Why a text names no object.
  package struct Violation: Error, Hashable, Sendable {
    package var message: String
    package init(_ message: String) { self.message = message }
  }

  /// Reads `gs://bucket/object`; nothing is decoded.
  package init(parsing text: String) throws(Violation) {
    guard text.lowercased().hasPrefix("gs://") else { throw Violation("URL scheme must be gs://") }
    let rest = text.dropFirst(5)
    guard let slash = rest.firstIndex(of: "/") else {
      self.init(bucket: String(rest), object: nil)
      return
    }
    let object = rest[rest.index(after: slash)...]
    self.init(bucket: String(rest[..<slash]), object: object.isEmpty ? nil : ObjectName(String(object)))
  }
}
