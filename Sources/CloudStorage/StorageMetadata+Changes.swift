// What an update has to say: the difference between what was received and what is wanted now.

import StorageCore
import TransferModel

extension StorageMetadata {
  /// The body of a PATCH; nil when nothing has changed.
  ///
  /// | field | now | sent |
  /// | --- | --- | --- |
  /// | nil or another text | a text | the text |
  /// | a text | nil | `null` |
  /// | the same | the same | nothing |
  ///
  /// Custom metadata is compared key by key in the same way. Texts are compared by their bytes.
  func changes() -> [UInt8]? {
    let wanted = fields
    var writer = JSONWriter()
    var hasChanges = false
    writer.beginObject()
    for (key, field) in Self.writable where !Self.same(original[keyPath: field], wanted[keyPath: field]) {
      hasChanges = true
      writer.change(key, to: wanted[keyPath: field])
    }
    let custom = Self.changedKeys(from: original.customMetadata ?? [:], to: wanted.customMetadata ?? [:])
    if !custom.isEmpty {
      hasChanges = true
      writer.key("metadata")
      writer.beginObject()
      for key in custom { writer.change(key, to: wanted.customMetadata?[key]) }
      writer.endObject()
    }
    writer.endObject()
    return hasChanges ? writer.bytes : nil
  }

  private static var writable: KeyValuePairs<String, KeyPath<ObjectMetadata, String?>> {
    [
      "cacheControl": \.cacheControl, "contentDisposition": \.contentDisposition,
      "contentEncoding": \.contentEncoding, "contentLanguage": \.contentLanguage, "contentType": \.contentType,
    ]
  }

  private static func changedKeys(from old: [String: String], to new: [String: String]) -> [String] {
    Set(old.keys).union(new.keys).filter { !same(old[$0], new[$0]) }.sorted()
  }

  private static func same(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
    case (nil, _?), (_?, nil): false
    }
  }
}

extension JSONWriter {
  /// nil takes the value away.
  fileprivate mutating func change(_ key: String, to value: String?) {
    self.key(named: key)
    if let value { string(value) } else { null() }
  }
}
