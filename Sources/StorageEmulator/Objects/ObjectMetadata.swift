// What can be said about an object beside its bytes, and be changed without changing them.

import TransferModel

/// The editable half of an object's metadata; a nil field is absent from answers.
package struct ObjectMetadata: Sendable, Equatable {
  /// nil = guessed from the name's extension.
  package var contentType: String?
  package var contentEncoding: String?
  package var contentDisposition: String?
  package var contentLanguage: String?
  package var cacheControl: String?
  package var custom: [String: String]
  /// Firebase's download tokens; one is made at the first read by Firebase's API when there is none.
  package var downloadTokens: [String]
  /// The number of parts of a composite object; such objects have no md5.
  package var componentCount: Int?

  package init(
    contentType: String? = nil, contentEncoding: String? = nil, contentDisposition: String? = nil,
    contentLanguage: String? = nil, cacheControl: String? = nil, custom: [String: String] = [:],
    downloadTokens: [String] = [], componentCount: Int? = nil
  ) {
    self.contentType = contentType
    self.contentEncoding = contentEncoding
    self.contentDisposition = contentDisposition
    self.contentLanguage = contentLanguage
    self.cacheControl = cacheControl
    self.custom = custom
    self.downloadTokens = downloadTokens
    self.componentCount = componentCount
  }
}

extension ObjectMetadata {
  /// Takes over the writable fields that a JSON object names; null removes one. Other keys are ignored, as the services
  /// do. Returns false when a writable field has a wrong type.
  mutating func merge(_ json: JSONValue) -> Bool {
    guard case .object(let members) = json else { return false }
    for member in members {
      let (key, value) = (member.key, member.value)
      switch (key, value) {
      case ("metadata", .null): custom = [:]
      case ("metadata", .object(let pairs)):
        for pair in pairs {
          switch pair.value {
          case .string(let text): custom[pair.key] = text
          case .null: custom[pair.key] = nil
          default: return false
          }
        }
      case ("metadata", _): return false
      default:
        guard let field = Self.writable[key] else { continue }
        switch value {
        case .string(let text): self[keyPath: field] = text
        case .null: self[keyPath: field] = nil
        default: return false
        }
      }
    }
    return true
  }

  private static let writable: [String: any WritableKeyPath<ObjectMetadata, String?> & Sendable] = [
    "contentType": \.contentType, "contentEncoding": \.contentEncoding, "contentDisposition": \.contentDisposition,
    "contentLanguage": \.contentLanguage, "cacheControl": \.cacheControl,
  ]

  /// The type to serve: the stored one, else what the extension suggests.
  func servedType(for name: String) -> String {
    if let contentType { return contentType }
    let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? ""
    guard let dot = last.lastIndex(of: ".") else { return "application/octet-stream" }
    return Self.types[last[last.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }

  private static let types = [
    "txt": "text/plain", "html": "text/html", "css": "text/css", "csv": "text/csv", "js": "text/javascript",
    "json": "application/json", "xml": "application/xml", "yaml": "application/yaml", "pdf": "application/pdf",
    "gz": "application/gzip", "zip": "application/zip", "tar": "application/x-tar", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
    "mp3": "audio/mpeg", "mp4": "video/mp4",
  ]
}
