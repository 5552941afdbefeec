// One live object, as a lookup found it.

package import TransferModel

/// An object with its bytes and facts; a snapshot that later changes do not touch.
package struct StoredObject: Sendable {
  package var bucket: String
  package var name: ObjectName
  package var content: ObjectContent
  /// Microseconds since 1970 of the last change of the bytes.
  package var generation: Int64
  package var metageneration: Int64
  package var created: Timestamp
  package var updated: Timestamp
  package var metadata: ObjectMetadata
  /// Digests of the stored bytes; asked for only where an answer names them, because a file must be read for them.
  var digests: @Sendable () -> DigestSet

  package var size: Int64 { content.size }

  /// What JSON answers call `etag`: it moves with the bytes and with the metadata, and is no hash.
  package var etag: String { Base64.encode(Array("\(generation)/\(metageneration)".utf8)) }
}
