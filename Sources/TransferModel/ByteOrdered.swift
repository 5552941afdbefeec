// Names that are compared by their bytes.
// Swift's own `String ==` is canonical equivalence: it takes "é" in its two Unicode spellings for one name. Remote
// stores and Linux file systems do not, and list in byte order.

import Glibc

/// A text whose identity, hash and order are those of its UTF-8 bytes.
package protocol ByteOrdered: Hashable, Comparable {
  var text: String { get }
}

extension ByteOrdered {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.text.precedesByBytes(right.text)
  }

  package func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
  }
}

extension String {
  /// Whether the UTF-8 bytes are the same.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let inPlace = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
        return memcmp(left, right, mine.count) == 0
      }
    }
    return (inPlace ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether the UTF-8 bytes come first.
  package func precedesByBytes(_ other: String) -> Bool {
    other.utf8.withContiguousStorageIfAvailable { order(to: UnsafeRawBufferPointer($0)) < 0 }
      ?? utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// Negative when the UTF-8 bytes come before these, 0 when they are the same, positive when they come after.
  package func order(to other: UnsafeRawBufferPointer) -> Int {
    var copy = self
    return copy.withUTF8 { mine in
      let common = min(mine.count, other.count)
      guard common > 0, let left = mine.baseAddress, let right = other.baseAddress else {
        return mine.count - other.count
      }
      let order = memcmp(left, right, common)
      return order == 0 ? mine.count - other.count : Int(order)
    }
  }

  /// All bytes in one call (a call for each was measured at three times the cost), and an end mark.
  package func hashBytes(into hasher: inout Hasher) {
    var copy = self
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension String {
  /// Whether a byte is among the UTF-8 bytes.
  package func hasByte(_ byte: UInt8) -> Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      guard let base = bytes.baseAddress else { return false }
      return memchr(base, Int32(byte), bytes.count) != nil
    } ?? utf8.contains(byte)
  }
}

extension String {
  /// Whether the UTF-8 bytes begin with these.
  package func hasBytePrefix(_ prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    return utf8.withContiguousStorageIfAvailable { bytes in
      guard let base = bytes.baseAddress, bytes.count >= count else { return count == 0 }
      return memcmp(base, prefix.utf8Start, count) == 0
    } ?? utf8.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: count))
  }
}

extension String? {
  /// Whether both are absent or have the same UTF-8 bytes.
  package func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let mine?, let theirs?): mine.hasSameBytes(as: theirs)
    case (nil, _), (_, nil): false
    }
  }
}

/// The name of an object in a bucket, as the server spells it: any UTF-8, never normalised, never decoded again.
package struct ObjectName: ByteOrdered, Sendable, CustomStringConvertible {
  package let text: String
  package init(_ text: String) { self.text = text }
  package var description: String { text }

  /// What follows the prefix; nil when the name does not begin with it.
  package func behind(_ prefix: String) -> String? {
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
  }
}
