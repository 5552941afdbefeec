// How long a server asks to be left alone (RFC 9110 section 10.2.3).

/// Reads the `Retry-After` field.
package enum RetryAfter {
  /// Longer wishes count as this long: no caller's budget reaches it, and no arithmetic on it can overflow.
  package static let longest: Duration = .seconds(7 * 86_400)

  /// The wait that the response asks for; nil when it asks for none, or when the value is neither a number of seconds nor
  /// a date. A date that has passed is a wait of 0.
  ///
  /// A date is measured against the response's own `Date`, so that a server whose clock is off by hours still gets the
  /// wait that it means; `now` serves only when there is no readable `Date`.
  package static func wait(from fields: HTTPFields, now: Timestamp) -> Duration? {
    guard let value = fields["Retry-After"] else { return nil }
    let text = ASCII.trimmed(Substring(value))
    if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
      return min(.seconds(ASCII.number(text.utf8) ?? .max), longest)
    }
    guard let date = Timestamp(httpDate: text, now: now) else { return nil }
    let reference = fields["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
    return min(max(date - reference, .zero), longest)
  }
}
