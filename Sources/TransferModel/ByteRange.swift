// Ranges of a body: what is asked for, and what a response says it is (RFC 9110 section 14).

/// `bytes=first-` or `bytes=first-last`; both ends inclusive.
package struct ByteRange: Hashable, Sendable {
  package var first: Int64
  /// nil = to the end.
  package var last: Int64?

  package init(first: Int64, last: Int64? = nil) {
    self.first = first
    self.last = last
  }

  /// The value of a `Range` field.
  package var fieldValue: String { "bytes=\(first)-" + (last.map { String($0) } ?? "") }
}

/// A `Content-Range` field of a response.
package enum ContentRange: Hashable, Sendable {
  /// `bytes first-last/total`; total nil for `*`.
  case bytes(first: Int64, last: Int64, total: Int64?)
  /// `bytes */total`, of a 416.
  case unsatisfied(total: Int64)

  /// nil when the text breaks RFC 9110 section 14.4: another unit, not a number, last before first, or last beyond total.
  package init?(parsing text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[0] == "*" {
      guard let total = Self.number(parts[1]) else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
      return nil
    }
    if parts[1] == "*" {
      self = .bytes(first: first, last: last, total: nil)
      return
    }
    guard let total = Self.number(parts[1]), last < total else { return nil }
    self = .bytes(first: first, last: last, total: total)
  }

  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(text)
  }
}
