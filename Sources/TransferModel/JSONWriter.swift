// Writes JSON piece by piece into bytes, so that a report of a million items never stands in memory as a whole.

/// Appends one JSON document to `bytes`, keys in the order of the calls. Commas, colons and indentation come by themselves.
///
/// The output is always valid UTF-8 and valid JSON; calls in an order that could not be (a value without its key, an end
/// without its beginning) are bugs of ours and stop the program. Besides what RFC 8259 section 7 demands, all control
/// characters and the line separators U+2028 and U+2029 are escaped, so that printing the text cannot drive a terminal or
/// break a line format.
package struct JSONWriter: Sendable {
  package enum Layout: Hashable, Sendable {
    /// No blank anywhere.
    case compact
    /// Two spaces a level, one member a line.
    case indented
  }

  /// What was written and not yet taken.
  package private(set) var bytes: [UInt8] = []
  private let layout: Layout
  /// The container that is open; `outer` has those around it.
  private var level: Level?
  private var outer: [Level] = []
  private var isBehindKey = false

  private struct Level {
    let closing: UInt8
    /// Whether members stand on lines of their own.
    let isSpread: Bool
    var isEmpty = true
  }

  package init(layout: Layout = .compact) { self.layout = layout }

  /// Gives what was written since the last call and forgets it; the document goes on. For streaming to a file.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }

  /// `onOneLine` keeps this object and all in it on one line where the layout would spread it.
  package mutating func beginObject(onOneLine: Bool = false) {
    open(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), onOneLine: onOneLine)
  }

  package mutating func endObject() { close(UInt8(ascii: "}")) }

  package mutating func beginArray(onOneLine: Bool = false) {
    open(UInt8(ascii: "["), closing: UInt8(ascii: "]"), onOneLine: onOneLine)
  }

  package mutating func endArray() { close(UInt8(ascii: "]")) }

  /// The key of the value that the next call writes; nothing in it needs an escape, as it stands in our source.
  package mutating func key(_ key: StaticString) {
    beginKey()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    endKey()
  }

  /// The same, with a key that is known at run time only.
  package mutating func key(named key: String) {
    beginKey()
    appendQuoted(key)
    endKey()
  }

  private mutating func beginKey() {
    precondition(level?.closing == UInt8(ascii: "}") && !isBehindKey, "a key belongs into an object")
    separate()
  }

  private mutating func endKey() {
    bytes.append(UInt8(ascii: ":"))
    if layout == .indented { bytes.append(0x20) }
    isBehindKey = true
  }

  package mutating func string(_ text: String) {
    beginValue()
    appendQuoted(text)
  }

  package mutating func integer(_ value: some BinaryInteger) {
    beginValue()
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func integer(_ value: Int64) {
    beginValue()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let first = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[first...].reverse()
  }

  /// The digest in hexadecimal, as a text.
  package mutating func hex(_ digest: Digest) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    digest.appendHex(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Thousandths, not negative, as a decimal fraction without zeros at its end: 1,500 is `1.5`.
  package mutating func thousandths(_ value: Int64) {
    integer(value / 1_000)
    var rest = (value % 1_000).magnitude
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var unit: UInt64 = 100
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  package mutating func number(_ number: JSONNumber) {
    beginValue()
    bytes.append(contentsOf: number.text.utf8)
  }

  package mutating func bool(_ flag: Bool) {
    beginValue()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  package mutating func null() {
    beginValue()
    bytes.append(contentsOf: "null".utf8)
  }

  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .number(let number): self.number(number)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(named: member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  /// Ends a text document with a line feed, for files and NDJSON. Only between documents.
  package mutating func newline() {
    precondition(level == nil && !isBehindKey, "a line ends behind a document")
    bytes.append(0x0A)
  }
}

// MARK: - Members

extension JSONWriter {
  /// Writes nothing when the text is nil.
  package mutating func member(_ key: StaticString, _ text: String?) {
    guard let text else { return }
    self.key(key)
    string(text)
  }

  /// Writes nothing when the number is nil.
  package mutating func member(_ key: StaticString, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    self.key(key)
    integer(value)
  }

  /// As above, without the detour of a generic call from another module, which is eight times as long.
  package mutating func member(_ key: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.key(key)
    integer(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int?) { member(key, value.map { Int64($0) }) }

  package mutating func member(_ key: StaticString, _ flag: Bool) {
    self.key(key)
    bool(flag)
  }

  package mutating func member(_ key: StaticString, _ value: JSONValue) {
    self.key(key)
    self.value(value)
  }
}

// MARK: - Layout and quoting

extension JSONWriter {
  private mutating func open(_ opening: UInt8, closing: UInt8, onOneLine: Bool) {
    beginValue()
    bytes.append(opening)
    let mayBeSpread = level?.isSpread ?? (layout == .indented)
    if let level { outer.append(level) }
    level = Level(closing: closing, isSpread: mayBeSpread && !onOneLine)
  }

  private mutating func close(_ closing: UInt8) {
    guard let closed = level, closed.closing == closing, !isBehindKey else {
      preconditionFailure("the end of a container that is not open")
    }
    level = outer.popLast()
    if closed.isSpread && !closed.isEmpty { breakLine() }
    bytes.append(closing)
  }

  private mutating func beginValue() {
    if isBehindKey {
      isBehindKey = false
      return
    }
    precondition(level?.closing != UInt8(ascii: "}"), "a value in an object needs a key")
    separate()
  }

  private mutating func separate() {
    guard let level else { return }
    if !level.isEmpty {
      bytes.append(UInt8(ascii: ","))
      if layout == .indented && !level.isSpread { bytes.append(0x20) }
    }
    self.level?.isEmpty = false
    if level.isSpread { breakLine() }
  }

  private mutating func breakLine() {
    bytes.append(0x0A)
    let depth = outer.count + (level == nil ? 0 : 1)
    for _ in 0..<(2 * depth) { bytes.append(0x20) }
  }

  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var copy = text
    copy.withUTF8 { text in
      if Self.isPlain(text) { bytes.append(contentsOf: text) } else { appendEscaped(text) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether there is nothing but printable ASCII that stands for itself. Eight bytes at a time: nearly all that is
  /// written is names and digits.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    var index = 0
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let ones: UInt64 = 0x0101_0101_0101_0101
      // A byte below n leaves its highest bit set by the subtraction of n; one that is equal is 0 after the XOR.
      let isControl = word &- ones &* 0x20
      let isQuote = (word ^ ones &* 0x22) &- ones
      let isBackslash = (word ^ ones &* 0x5C) &- ones
      let isDelete = (word ^ ones &* 0x7F) &- ones
      guard (word | isControl | isQuote | isBackslash | isDelete) & (ones &* 0x80) == 0 else {
        // Borrows may reach over a byte, so this is a hint that something is there, never the other way round.
        return text.allSatisfy(isPlain)
      }
      index += 8
    }
    return text[index...].allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Copies runs that need no escape as they are.
  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var runStart = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard let escaped = Self.scalarToEscape(byte, at: index, in: text) else {
        index += 1
        continue
      }
      bytes.append(contentsOf: text[runStart..<index])
      appendEscape(of: escaped.value)
      index += escaped.length
      runStart = index
    }
    bytes.append(contentsOf: text[runStart...])
  }

  private static func scalarToEscape(
    _ byte: UInt8, at index: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> (value: UInt16, length: Int)? {
    switch byte {
    case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E, 0x80...0xC1: return nil
    case 0...0x7F: return (UInt16(byte), 1)
    case 0xC2 where text[index + 1] < 0xA0: return (UInt16(text[index + 1]), 2)
    case 0xE2 where text[index + 1] == 0x80 && (text[index + 2] == 0xA8 || text[index + 2] == 0xA9):
      return (0x2000 | UInt16(text[index + 2] & 0x3F), 3)
    default: return nil
    }
  }

  private mutating func appendEscape(of scalar: UInt16) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: bytes.append(UInt8(scalar))
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(UInt8(ascii: "u"))
      let digits = "0123456789abcdef".utf8
      for shift in [12, 8, 4, 0] {
        bytes.append(digits[digits.index(digits.startIndex, offsetBy: Int(scalar >> UInt16(shift)) & 15)])
      }
    }
  }
}
