// Recognises an item in one of the two spellings that long lists of them have, byte by byte. What is spelled in any other way,
// however slightly, is libyaml's; so nothing here has to say what is wrong.

import MirrorPlan
import TransferModel

/// Reads items like these, whose values are plain words that YAML takes as they stand:
///
/// ```
///   - {ref: https://example.org/a.bin, to: a.bin, sha256: 9f86…}
///   - ref: gs://bucket/b.bin
///     to: b.bin
/// ```
struct PlainItemScanner {
  /// The parts of an item, as offsets in the text.
  struct Field {
    var key: ItemKey
    var value: Range<Int>
    /// Where the value's line begins, and how many lines that is below the item's first.
    var lineStart: Int
    var linesBelow: Int
  }

  /// libyaml looks for the end of a key within 1,024 characters; a line that is shorter is never near that.
  private static let maximumLine = 1000

  private let text: UnsafeBufferPointer<UInt8>
  private var index: Int
  private var lineStart: Int
  private(set) var lines = 0
  /// How many blanks stand before the dash.
  private(set) var indent = 0
  /// Where the item's mapping begins: the brace, or the first key.
  private(set) var mappingStart = 0
  private var seen: UInt16 = 0

  /// Stands at the beginning of a line.
  init(_ text: UnsafeBufferPointer<UInt8>, at start: Int) {
    self.text = text
    index = start
    lineStart = start
  }

  /// Where the line behind the item begins; nil when this is no such item.
  @inline(__always)
  mutating func scan(_ body: (Field) -> Void) -> Int? {
    indent = skipBlanks()
    guard take(UInt8(ascii: "-")), take(UInt8(ascii: " ")) else { return nil }
    let dashed = skipBlanks()
    mappingStart = index
    if take(UInt8(ascii: "{")) {
      guard scanBraces(body) else { return nil }
    } else {
      guard dashed == 0, scanLines(body) else { return nil }
    }
    return seen & Self.required == Self.required ? index : nil
  }

  private static let required = bit(.ref) | bit(.to)

  @inline(__always)
  private mutating func scanBraces(_ body: (Field) -> Void) -> Bool {
    repeat {
      _ = skipBlanks()
      guard scanField(body) else { return false }
      _ = skipBlanks()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) && endLine()
  }

  /// One field a line, each as far in as the first, which follows the dash.
  @inline(__always)
  private mutating func scanLines(_ body: (Field) -> Void) -> Bool {
    repeat {
      guard scanField(body), endLine() else { return false }
    } while enterNextLine()
    return true
  }

  /// Whether the line has the next field of the item; its blanks are passed then.
  private mutating func enterNextLine() -> Bool {
    let first = index + indent + 2
    guard first < text.count, ASCII.isLetter(text[first]) else { return false }
    for place in index..<first where text[place] != UInt8(ascii: " ") { return false }
    index = first
    return true
  }

  private mutating func endLine() -> Bool {
    guard index - lineStart < Self.maximumLine, take(0x0A) else { return false }
    lines += 1
    lineStart = index
    return true
  }

  /// `key: value`
  @inline(__always)
  private mutating func scanField(_ body: (Field) -> Void) -> Bool {
    let keyStart = index
    var code: UInt64 = 0
    while index < text.count, Self.isKeyByte(text[index]) {
      code = code << 8 | UInt64(text[index])
      index += 1
    }
    guard index - keyStart <= 8, let key = Self.key(code), seen & Self.bit(key) == 0,
      take(UInt8(ascii: ":")), skipBlanks() > 0, let value = scanValue()
    else { return false }
    seen |= Self.bit(key)
    body(Field(key: key, value: value, lineStart: lineStart, linesBelow: lines))
    return true
  }

  /// A word of letters, digits and a few marks that mean nothing to YAML inside of a word. It neither begins with a mark that
  /// could mean something nor ends in a colon, and is not the word that a manifest is warned of.
  private mutating func scanValue() -> Range<Int>? {
    let start = index
    guard start < text.count, Self.beginsWord(text[start]) else { return nil }
    var end = start + 1
    while end < text.count, Self.isInWord(text[end]) { end += 1 }
    index = end
    guard text[index - 1] != UInt8(ascii: ":"), !isNull(start..<index) else { return nil }
    return start..<index
  }

  private func isNull(_ value: Range<Int>) -> Bool {
    value.count == 4 && text[value].elementsEqual("null".utf8)
  }

  private mutating func skipBlanks() -> Int {
    let start = index
    while index < text.count, text[index] == UInt8(ascii: " ") { index += 1 }
    return index - start
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }
}

// MARK: - Words

extension PlainItemScanner {
  /// Letters and digits. Spelled out here: a call into another module for each byte was measured at a third of the scan.
  @inline(__always)
  private static func isKeyByte(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

  /// Whether a value may begin with the byte.
  @inline(__always)
  private static func beginsWord(_ byte: UInt8) -> Bool {
    isKeyByte(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
  }

  /// Whether a value may hold the byte.
  @inline(__always)
  private static func isInWord(_ byte: UInt8) -> Bool {
    // A bit for each, which is a third of what a row of comparisons costs.
    let half = byte < 0x40 ? wordBytesBelow64 : wordBytesFrom64
    return byte < 0x80 && half &>> UInt64(byte & 0x3F) & 1 != 0
  }

  /// Digits and `%&+-./:=`.
  private static var wordBytesBelow64: UInt64 { 0x27FF_E860_0000_0000 }
  /// Letters and `@_~`.
  private static var wordBytesFrom64: UInt64 { 0x47FF_FFFE_87FF_FFFF }

  @inline(__always)
  private static func bit(_ key: ItemKey) -> UInt16 {
    switch key {
    case .ref: 1
    case .to: 2
    case .sha256: 4
    case .sha512: 8
    case .md5: 16
    case .crc32c: 32
    case .size: 64
    case .generation: 128
    case .placeholder: 256
    case .checksumURL: 512
    }
  }

  /// The keys that long lists have; spelled as numbers they are compared at once.
  private static let keys: [(code: UInt64, key: ItemKey)] = [
    ItemKey.ref, .to, .sha256, .md5, .crc32c, .size, .sha512,
  ].map { (code($0.spelling.utf8), $0) }

  /// At most eight letters and digits.
  private static func code(_ spelling: some Sequence<UInt8>) -> UInt64 {
    spelling.reduce(0) { $0 << 8 | UInt64($1) }
  }

  @inline(__always)
  private static func key(_ code: UInt64) -> ItemKey? {
    for known in keys where known.code == code { return known.key }
    return nil
  }
}
