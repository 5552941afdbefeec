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

  private var output = ByteStore()
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

  /// A copy of what was written and not yet taken.
  package var bytes: [UInt8] { output.bytes }

  /// How many bytes were written and not yet taken.
  package var count: Int { output.count }

  /// Gives what was written since the last call and forgets it; the document goes on. For streaming to a file.
  package mutating func takeBytes() -> [UInt8] {
    defer { output.removeAll() }
    return output.bytes
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
    member(key, room: 0) { _ in 0 }
    isBehindKey = true
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
    output.append(UInt8(ascii: ":"))
    if layout == .indented { output.append(0x20) }
    isBehindKey = true
  }

  package mutating func string(_ text: String) {
    beginValue()
    appendQuoted(text)
  }

  package mutating func integer(_ value: some BinaryInteger) {
    beginValue()
    output.append(String(value))
  }

  package mutating func integer(_ value: Int64) {
    beginValue()
    output.append(decimal: value)
  }

  /// The digest in hexadecimal, as a text.
  package mutating func hex(_ digest: Digest) {
    beginValue()
    output.append(UInt8(ascii: "\""))
    output.withRoom(for: 2 * digest.algorithm.byteCount) { digest.writeHex(to: $0) }
    output.append(UInt8(ascii: "\""))
  }

  /// The digits of a short name, as a text.
  package mutating func hex(_ number: UInt64) {
    beginValue()
    output.append(UInt8(ascii: "\""))
    output.append(hex: number)
    output.append(UInt8(ascii: "\""))
  }

  /// Thousandths, not negative, as a decimal fraction without zeros at its end: 1,500 is `1.5`.
  package mutating func thousandths(_ value: Int64) {
    integer(value / 1_000)
    var rest = (value % 1_000).magnitude
    guard rest > 0 else { return }
    output.append(UInt8(ascii: "."))
    var unit: UInt64 = 100
    while rest > 0 {
      output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  package mutating func number(_ number: JSONNumber) {
    beginValue()
    output.append(number.text)
  }

  package mutating func bool(_ flag: Bool) {
    beginValue()
    output.append(flag ? "true" : "false")
  }

  package mutating func null() {
    beginValue()
    output.append("null")
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
    output.append(0x0A)
  }
}

// MARK: - Members

extension JSONWriter {
  /// Writes nothing when the text is nil.
  package mutating func member(_ key: StaticString, _ text: String?) {
    guard var text else { return }
    text.withUTF8 { text in
      guard JSONEscaping.isPlain(text) else {
        self.key(key)
        isBehindKey = false
        return JSONEscaping.append(text, to: &output)
      }
      member(key, room: text.count + 2) { room in
        room[0] = UInt8(ascii: "\"")
        if let source = text.baseAddress, let target = room.baseAddress {
          (target + 1).update(from: source, count: text.count)
        }
        room[text.count + 1] = UInt8(ascii: "\"")
        return text.count + 2
      }
    }
  }

  /// Writes nothing when the digest is nil.
  package mutating func member(_ key: StaticString, _ digest: Digest?) {
    guard let digest else { return }
    let size = 2 * digest.algorithm.byteCount
    member(key, room: size + 2) { room in
      room[0] = UInt8(ascii: "\"")
      _ = digest.writeHex(to: UnsafeMutableBufferPointer(rebasing: room[1...]))
      room[size + 1] = UInt8(ascii: "\"")
      return size + 2
    }
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
    member(key, room: ByteStore.decimalSize) { ByteStore.write(decimal: value, to: $0) }
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

// MARK: - Layout

extension JSONWriter {
  /// A member in one piece, where it stands on a line with others: comma, key and value into the same room. A report
  /// has a dozen for every file.
  @inline(__always)
  private mutating func member(
    _ key: StaticString, room size: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    guard let level, level.closing == UInt8(ascii: "}"), !isBehindKey else {
      preconditionFailure("a key belongs into an object")
    }
    if level.isSpread { separate() }
    let needsComma = !level.isSpread && !level.isEmpty
    self.level?.isEmpty = false
    let (hasBlanks, name) = (layout == .indented, key.utf8CodeUnitCount)
    output.withRoom(for: name + size + 6) { room in
      var end = 0
      func put(_ byte: UInt8) {
        room[end] = byte
        end += 1
      }
      if needsComma {
        put(UInt8(ascii: ","))
        if hasBlanks { put(0x20) }
      }
      put(UInt8(ascii: "\""))
      if let target = room.baseAddress { (target + end).update(from: key.utf8Start, count: name) }
      end += name
      put(UInt8(ascii: "\""))
      put(UInt8(ascii: ":"))
      if hasBlanks { put(0x20) }
      return end + write(UnsafeMutableBufferPointer(rebasing: room[end...]))
    }
  }
}

extension JSONWriter {
  private mutating func open(_ opening: UInt8, closing: UInt8, onOneLine: Bool) {
    beginValue()
    output.append(opening)
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
    output.append(closing)
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
      output.append(UInt8(ascii: ","))
      if layout == .indented && !level.isSpread { output.append(0x20) }
    }
    self.level?.isEmpty = false
    if level.isSpread { breakLine() }
  }

  private mutating func breakLine() {
    output.append(0x0A)
    let depth = outer.count + (level == nil ? 0 : 1)
    output.append(repeating: 0x20, count: 2 * depth)
  }

  private mutating func appendQuoted(_ text: String) {
    var copy = text
    copy.withUTF8 { text in
      if JSONEscaping.isPlain(text) { output.append(quoted: text) } else { JSONEscaping.append(text, to: &output) }
    }
  }
}
