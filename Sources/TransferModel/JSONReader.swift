// Reads JSON piece by piece, without building values of it: for list pages and plans, where a tree of every object would
// cost more than the answer. `JSONValue` builds the tree for small documents.

/// Why bytes are not the JSON that was expected, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence without the place.
  package var message: String
  /// The first byte that does not fit, counted from 0.
  package var offset: Int
  /// Whether the fault is a text whose bytes are no UTF-8.
  package var isNotUTF8 = false

  package init(_ message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// A text that is none.
  static func notUTF8(offset: Int) -> JSONError {
    var error = JSONError("the string is not valid UTF-8", offset: offset)
    error.isNotUTF8 = true
    return error
  }

  package var description: String { "\(message) at byte \(offset)" }
}

/// A cursor over one JSON document (RFC 8259), strict: no comments, no trailing commas, no lone surrogates, valid UTF-8
/// only; a byte order mark at the start is skipped.
///
/// The caller says what it expects, and a document that has something else throws. Loops look like this:
///
/// ```swift
/// try reader.beginObject()
/// while let key = try reader.nextKey() {
///   switch key {
///   case "name": name = try reader.readString()
///   default: try reader.skipValue()
///   }
/// }
/// try reader.finish()
/// ```
///
/// A copy of the reader is a bookmark: assigning it back returns to that place.
package struct JSONReader: Sendable {
  package enum Kind: Hashable, Sendable {
    case null, bool, number, string, array, object
  }

  let bytes: [UInt8]
  /// The next byte that was not read yet.
  package internal(set) var offset: Int
  private var depth = 0
  private let maximumDepth: Int
  /// Whether a value stands before the cursor in the innermost container, so that a comma must follow.
  private var isBehindValue = false

  /// Containers nested deeper than `maximumDepth` throw.
  package init(_ bytes: [UInt8], maximumDepth: Int = 64) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// What the next value is, without reading it.
  package mutating func peek() throws(JSONError) -> Kind {
    switch try nextSignificantByte() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw JSONError("expected a value", offset: offset)
    }
  }

  package mutating func beginObject() throws(JSONError) {
    try open(UInt8(ascii: "{"), "expected an object")
  }

  package mutating func beginArray() throws(JSONError) {
    try open(UInt8(ascii: "["), "expected an array")
  }

  /// The key of the next member, whose value must be read or skipped before the next call; nil when the object has ended.
  package mutating func nextKey() throws(JSONError) -> String? {
    guard try advance(closing: UInt8(ascii: "}")) else { return nil }
    let key = try readString()
    try expect(UInt8(ascii: ":"), "expected ':' behind a key")
    isBehindValue = false
    return key
  }

  /// Whether there is another element, which must be read or skipped before the next call; false when the array has
  /// ended.
  package mutating func nextElement() throws(JSONError) -> Bool {
    try advance(closing: UInt8(ascii: "]"))
  }

  package mutating func readString() throws(JSONError) -> String {
    guard try nextSignificantByte() == UInt8(ascii: "\"") else {
      throw JSONError("expected a string", offset: offset)
    }
    let text = try scanString()
    isBehindValue = true
    return text
  }

  package mutating func readNumber() throws(JSONError) -> JSONNumber {
    _ = try nextSignificantByte()
    let number = try scanNumber()
    isBehindValue = true
    return number
  }

  package mutating func readBool() throws(JSONError) -> Bool {
    let isTrue = try nextSignificantByte() == UInt8(ascii: "t")
    try expectWord(isTrue ? "true" : "false", "expected true or false")
    return isTrue
  }

  package mutating func readNull() throws(JSONError) {
    _ = try nextSignificantByte()
    try expectWord("null", "expected null")
  }

  /// Steps over the next value, whatever it is. The structure is checked, the content of strings is not, so that an
  /// item with an unreadable name can be stepped over.
  package mutating func skipValue() throws(JSONError) {
    switch try peek() {
    case .object:
      try beginObject()
      while try advance(closing: UInt8(ascii: "}")) {
        try skipString()
        try expect(UInt8(ascii: ":"), "expected ':' behind a key")
        isBehindValue = false
        try skipValue()
      }
    case .array:
      try beginArray()
      while try nextElement() { try skipValue() }
    case .string: try skipString()
    case .number: _ = try readNumber()
    case .bool: _ = try readBool()
    case .null: try readNull()
    }
  }

  /// Checks that nothing but blanks is left.
  package mutating func finish() throws(JSONError) {
    skipBlanks()
    guard offset == bytes.count else { throw JSONError("unexpected text behind the document", offset: offset) }
  }
}

// MARK: - Structure

extension JSONReader {
  private mutating func skipBlanks() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func nextSignificantByte() throws(JSONError) -> UInt8 {
    skipBlanks()
    guard offset < bytes.count else { throw JSONError("the document ends too early", offset: offset) }
    return bytes[offset]
  }

  private mutating func expect(_ byte: UInt8, _ message: String) throws(JSONError) {
    guard try nextSignificantByte() == byte else { throw JSONError(message, offset: offset) }
    offset += 1
  }

  private mutating func expectWord(_ word: StaticString, _ message: String) throws(JSONError) {
    guard bytes.count - offset >= word.utf8CodeUnitCount else { throw JSONError(message, offset: offset) }
    for index in 0..<word.utf8CodeUnitCount where bytes[offset + index] != word.utf8Start[index] {
      throw JSONError(message, offset: offset)
    }
    offset += word.utf8CodeUnitCount
    isBehindValue = true
  }

  private mutating func open(_ byte: UInt8, _ message: String) throws(JSONError) {
    guard try nextSignificantByte() == byte else { throw JSONError(message, offset: offset) }
    guard depth < maximumDepth else {
      throw JSONError("nested deeper than \(maximumDepth) levels", offset: offset)
    }
    offset += 1
    depth += 1
    isBehindValue = false
  }

  /// Stands at the next member or element, or behind the end of the container.
  private mutating func advance(closing: UInt8) throws(JSONError) -> Bool {
    var byte = try nextSignificantByte()
    if byte == closing {
      offset += 1
      depth -= 1
      isBehindValue = true
      return false
    }
    guard isBehindValue else { return true }
    guard byte == UInt8(ascii: ",") else {
      throw JSONError("expected ',' or '\(Character(Unicode.Scalar(closing)))'", offset: offset)
    }
    offset += 1
    byte = try nextSignificantByte()
    guard byte != closing else { throw JSONError("nothing follows the ','", offset: offset) }
    return true
  }

  private mutating func skipString() throws(JSONError) {
    guard try nextSignificantByte() == UInt8(ascii: "\"") else {
      throw JSONError("expected a string", offset: offset)
    }
    try stepOverString()
    isBehindValue = true
  }
}
