// The keys of an object's metadata that can be set, as a person writes them.

import MirrorPlan
import TransferModel

/// A field that the services know, or a key of the object's own.
enum MetadataKey: Hashable, Sendable {
  /// Under its name in the services' JSON.
  case field(String)
  case custom(String)

  /// `contentType` and the four others are the services' fields; every other text is a key of the object's own, and with
  /// `metadata.` in front of it, those five are too.
  init(_ text: String) {
    let prefix = "metadata."
    if text.utf8.starts(with: prefix.utf8), text.utf8.count > prefix.utf8.count {
      self = .custom(String(text.dropFirst(prefix.count)))
    } else {
      self = Self.fields.contains(text) ? .field(text) : .custom(text)
    }
  }

  static let fields = [
    "cacheControl", "contentDisposition", "contentEncoding", "contentLanguage", "contentType",
  ]
}

/// `KEY=VALUE`.
struct MetadataValue: Hashable, Sendable {
  var key: MetadataKey
  /// May be empty.
  var value: String
}

extension ValueReader where Value == MetadataKey {
  static var metadataKey: Self {
    Self("KEY") { text throws(ValueProblem) in
      guard !text.isEmpty else { throw ValueProblem("is empty") }
      guard !text.utf8.contains(UInt8(ascii: "=")) else { throw ValueProblem("has a value; name the key alone") }
      return MetadataKey(text)
    }
  }
}

extension ValueReader where Value == MetadataValue {
  static var metadataValue: Self {
    Self("KEY=VALUE") { text throws(ValueProblem) in
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
        throw ValueProblem("is not KEY=VALUE", hint: "write contentType=image/png, or --unset KEY")
      }
      return MetadataValue(
        key: MetadataKey(String(text[..<equals])), value: String(text[text.utf8.index(after: equals)...]))
    }
  }
}
