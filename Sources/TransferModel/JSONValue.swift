// A JSON document as a value, for small documents: answers about one object, errors, tokens, credentials.
// Lists and plans are read with `JSONReader`, written with `JSONWriter`.

/// Any JSON value. Compared with Swift's text equality; names that must be compared by bytes are taken out first.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// In the order of the document. A key may come twice (RFC 8259 section 4 allows it); `subscript(key:)` gives the last.
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Reads one whole document; `JSONReader` says how strictly. Recursion is bounded by `maximumDepth`.
  package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
    var reader = JSONReader(bytes, maximumDepth: maximumDepth)
    self = try reader.readValue()
    try reader.finish()
  }

  /// As `init(parsing:)` with the bytes of a text.
  package init(parsing text: String, maximumDepth: Int = 64) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }
}

extension JSONValue {
  /// The last member of that key; nil when there is none or this is no object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  package var number: JSONNumber? {
    if case .number(let number) = self { number } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// A whole number, written as a JSON number or as a decimal string (both services send 64-bit numbers as strings,
  /// emulators send numbers).
  package var int64: Int64? {
    switch self {
    case .number(let number): number.int64
    case .string(let text): Int64(text)
    case .null, .bool, .array, .object: nil
    }
  }
}

extension JSONReader {
  /// The next value as a tree.
  package mutating func readValue() throws(JSONError) -> JSONValue {
    switch try peek() {
    case .null:
      try readNull()
      return .null
    case .bool: return .bool(try readBool())
    case .number: return .number(try readNumber())
    case .string: return .string(try readString())
    case .array:
      var elements: [JSONValue] = []
      try beginArray()
      while try nextElement() { elements.append(try readValue()) }
      return .array(elements)
    case .object:
      var members: [JSONValue.Member] = []
      try beginObject()
      while let key = try nextKey() { members.append(JSONValue.Member(key, try readValue())) }
      return .object(members)
    }
  }
}
