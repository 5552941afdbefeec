// What the service says about one object, and what the caller wants to be said. The two other forms of it are in
// `StorageMetadata+Dictionary.swift` and `StorageMetadata+Changes.swift`.

public import Foundation
import StorageCore
import TransferModel

/// An object's metadata.
///
/// It comes from ``StorageReference/getMetadata()``; the fields that can be set are sent back by
/// ``StorageReference/updateMetadata(_:)``, which sends what has changed since and nothing else. A fresh one holds nothing.
/// May be used from any thread.
public final class StorageMetadata: Sendable {
  /// As received; what changes are measured against.
  let original: ObjectMetadata
  private let current: Lock<ObjectMetadata>
  /// Whether it describes an object, as all do that come from the service.
  public let isFile: Bool

  /// Nothing, to be filled in.
  public init() {
    original = ObjectMetadata()
    current = Lock(ObjectMetadata())
    isFile = false
  }

  init(_ received: ObjectMetadata) {
    original = received
    current = Lock(received)
    isFile = true
  }

  /// With the same fields, measured against the same original.
  private init(copying other: StorageMetadata) {
    original = other.original
    current = Lock(other.fields)
    isFile = other.isFile
  }

  /// An independent copy, whose changes are measured against the same original.
  public func copy() -> StorageMetadata { StorageMetadata(copying: self) }

  var fields: ObjectMetadata { current.withLock { $0 } }

  private func set<Value>(_ field: WritableKeyPath<ObjectMetadata, Value>, to value: sending Value) {
    current.withLock { $0[keyPath: field] = value }
  }

  /// Never true: folders have no metadata.
  public var isFolder: Bool { false }

  // MARK: What the service says

  /// The bucket; empty when unknown.
  public var bucket: String { fields.bucket ?? "" }
  /// The whole name.
  public var path: String? { fields.name?.text }
  /// The last segment of the name.
  public var name: String? { path.map { StoragePath(bucket: "", path: $0).name } }
  /// The version of the content; 0 when unknown.
  public var generation: Int64 { fields.generation ?? 0 }
  /// The version of the metadata within the generation; 0 when unknown. A read may raise it, as the service makes a download
  /// token then.
  public var metageneration: Int64 { fields.metageneration ?? 0 }
  /// The stored length in bytes; 0 when unknown.
  public var size: Int64 { fields.size ?? 0 }
  /// Of the stored bytes, in base64; nil for composite objects.
  public var md5Hash: String? { fields.md5Hash }
  /// Of the stored bytes, as sent: base64, or a decimal number from the Firebase emulator. The Apple SDK does not have it.
  public var crc32c: String? { fields.crc32c }
  /// Of the metadata, not of the content. The Apple SDK does not have it.
  public var etag: String? { fields.etag }
  /// The Apple SDK does not have it.
  public var storageClass: String? { fields.storageClass }
  /// When this generation was made.
  public var timeCreated: Date? { fields.timeCreated.map { Date($0) } }
  /// When content or metadata last changed.
  public var updated: Date? { fields.updated.map { Date($0) } }

  // MARK: What can be changed

  /// `Content-Type`.
  public var contentType: String? {
    get { fields.contentType }
    set { set(\.contentType, to: newValue) }
  }

  /// `Content-Encoding`; the service says `identity` where there is none.
  public var contentEncoding: String? {
    get { fields.contentEncoding }
    set { set(\.contentEncoding, to: newValue) }
  }

  /// `Content-Disposition`.
  public var contentDisposition: String? {
    get { fields.contentDisposition }
    set { set(\.contentDisposition, to: newValue) }
  }

  /// `Content-Language`.
  public var contentLanguage: String? {
    get { fields.contentLanguage }
    set { set(\.contentLanguage, to: newValue) }
  }

  /// `Cache-Control`.
  public var cacheControl: String? {
    get { fields.cacheControl }
    set { set(\.cacheControl, to: newValue) }
  }

  /// The object's own keys and values.
  public var customMetadata: [String: String]? {
    get { fields.customMetadata }
    set { set(\.customMetadata, to: newValue) }
  }
}

extension Date {
  /// The same instant, to the millisecond: more the service does not promise.
  fileprivate init(_ timestamp: Timestamp) {
    let milliseconds = timestamp.seconds * 1_000 + Int64(timestamp.nanoseconds / 1_000_000)
    self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }
}

extension StorageMetadata: Hashable {
  /// Equal when ``dictionaryRepresentation()`` is.
  public static func == (left: StorageMetadata, right: StorageMetadata) -> Bool { left.shown == right.shown }

  public func hash(into hasher: inout Hasher) { hasher.combine(shown) }

  /// Without what is not shown.
  private var shown: ObjectMetadata {
    var fields = fields
    fields.downloadTokens = []
    return fields
  }
}

extension StorageMetadata: CustomStringConvertible {
  public var description: String {
    let entries = dictionaryRepresentation().sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "StorageMetadata [\(entries.joined(separator: ", "))]"
  }
}
