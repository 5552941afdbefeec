// A JSON number as it was written.

/// A number whose text is kept, so that nothing beyond 2⁵³ is rounded on its way through a floating-point value.
package struct JSONNumber: Hashable, Sendable {
  /// Valid by RFC 8259 section 6.
  package let text: String

  /// `text` must be a valid JSON number; the reader has checked it.
  init(validated text: String) { self.text = text }

  package init(_ value: Int64) { text = String(value) }

  /// nil for infinities and NaN, which JSON cannot say.
  package init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = "\(value)"
  }

  /// The exact value; nil when it is written with a fraction or an exponent, or does not fit.
  package var int64: Int64? { Int64(text) }

  /// The nearest value; infinite when it is too large.
  package var double: Double { Double(text) ?? .nan }
}
