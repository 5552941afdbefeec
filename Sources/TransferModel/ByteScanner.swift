// Takes short texts with a fixed form apart: dates.

/// A cursor over bytes; every step fails instead of trapping, and a failed step does not move. Valid only as long as the
/// bytes that it was made over.
struct ByteScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  /// Exactly `count` digits as a number.
  mutating func digits(_ count: Int) -> Int64? {
    guard bytes.count - offset >= count else { return nil }
    var value: Int64 = 0
    for index in offset..<(offset + count) {
      guard ASCII.isDigit(bytes[index]) else { return nil }
      value = value * 10 + Int64(bytes[index] &- 0x30)
    }
    offset += count
    return value
  }

  /// All digits that follow, at most 18, and how many they are; nil when there is none.
  mutating func digits() -> (value: Int64, count: Int)? {
    var count = 0
    while offset + count < bytes.count, ASCII.isDigit(bytes[offset + count]) { count += 1 }
    guard count > 0, count <= 18, let value = digits(count) else { return nil }
    return (value, count)
  }

  /// Whether this text stands next, letters in any case; it is stepped over then.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - offset >= count else { return false }
    for index in 0..<count
    where ASCII.lowercased(bytes[offset + index]) != ASCII.lowercased(text.utf8Start[index]) { return false }
    offset += count
    return true
  }

  /// The next bytes, at most eight, in lower case and as one number, the first of them on top; nil when there are fewer.
  func lowercased(_ count: Int) -> UInt64? {
    guard bytes.count - offset >= count else { return nil }
    var word: UInt64 = 0
    for index in offset..<offset + count { word = word << 8 | UInt64(ASCII.lowercased(bytes[index])) }
    return word
  }

  /// Steps over bytes that were looked at.
  mutating func skip(_ count: Int) { offset += count }

  /// Steps over letters; whether there was one.
  mutating func takeLetters() -> Bool {
    let start = offset
    while offset < bytes.count, ASCII.isLetter(bytes[offset]) { offset += 1 }
    return offset > start
  }
}
