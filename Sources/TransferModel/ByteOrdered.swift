// Names that are compared by their bytes.
// Swift's own `String ==` is canonical equivalence: it takes "é" in its two Unicode spellings for one name. Remote
// stores and Linux file systems do not, and list in byte order.

/// A text whose identity, hash and order are those of its UTF-8 bytes.
package protocol ByteOrdered: Hashable, Comparable {
  var text: String { get }
}

extension ByteOrdered {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}

/// The name of an object in a bucket, as the server spells it: any UTF-8, never normalised, never decoded again.
package struct ObjectName: ByteOrdered, Sendable, CustomStringConvertible {
  package let text: String
  package init(_ text: String) { self.text = text }
  package var description: String { text }
}
