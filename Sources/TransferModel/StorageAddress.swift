// Which object in which bucket. Reading the many spellings is `StorageAddress+Parsing.swift`.

/// A bucket, and an object or prefix in it.
package struct StorageAddress: Hashable, Sendable {
  /// The bucket's name, never empty.
  package var bucket: String
  /// The object's name; nil for the bucket's root.
  package var object: ObjectName?
  /// Where a link pointed that named a server of its own (an emulator); nil = the configured one.
  package var endpoint: Origin?

  package init(bucket: String, object: ObjectName?, endpoint: Origin? = nil) {
    self.bucket = bucket
    self.object = object
    self.endpoint = endpoint
  }
}
