// Where a value of the manifest stands in its text, kept small because there is one for every value.

/// The place of one value: where it begins, how far it is underlined, and whether its characters can be counted on.
package struct SourceSpan: Hashable, Sendable {
  /// Counted from 1; 0 = nowhere in particular.
  package var line: UInt32
  /// In characters, counted from 1.
  package var column: UInt32
  /// How many characters a caret underlines, at least 1; a value of several lines is marked at its first character.
  package var length: UInt32
  /// How many characters (a quote) stand before the text, when all of the text stands in the source as it is; nil when
  /// escapes or folded lines make its characters impossible to place.
  package var inset: UInt8?

  package init(line: Int, column: Int, length: Int = 1, inset: UInt8? = nil) {
    self.line = UInt32(clamping: line)
    self.column = UInt32(clamping: column)
    self.length = UInt32(clamping: max(1, length))
    self.inset = inset
  }

  package var mark: SourceMark { SourceMark(line: Int(line), column: Int(column)) }

  /// The place of a part of the value, `offset` and `length` in characters of its text; the whole value when its
  /// characters cannot be placed.
  package func part(at offset: Int, length: Int) -> SourceSpan {
    guard let inset else { return self }
    return SourceSpan(line: Int(line), column: Int(column) + Int(inset) + offset, length: length)
  }
}

/// A value and where it was written.
package struct Located<Value: Sendable>: Sendable {
  package var value: Value
  package var span: SourceSpan

  @inlinable
  package init(_ value: Value, _ span: SourceSpan) {
    self.value = value
    self.span = span
  }
}

extension Located: Equatable where Value: Equatable {}

package typealias LocatedText = Located<String>
