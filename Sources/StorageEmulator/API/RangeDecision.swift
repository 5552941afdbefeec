// What a Range field gets, for a body of a known size (RFC 9110 section 14; one range only, as the service has it).

enum RangeDecision: Equatable {
  /// 200 with everything.
  case whole
  /// 206, both ends inclusive.
  case part(first: Int64, last: Int64)
  /// 416.
  case notSatisfiable

  /// | field | size 9 |
  /// | --- | --- |
  /// | none, another unit, not a number, last before first, several ranges | whole |
  /// | `bytes=1-4` | 1...4 |
  /// | `bytes=0-100` | 0...8: clamped |
  /// | `bytes=-3`, `bytes=-100` | 6...8, 0...8 |
  /// | `bytes=9-`, `bytes=50-60`, `bytes=-0` | not satisfiable |
  ///
  /// Of an empty body no range can be satisfied.
  init(field: String?, size: Int64) {
    self = .whole
    guard let field, field.hasPrefix("bytes=") else { return }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map {
      $0.drop { $0 == " " }
    }
    guard ends.count == 2 else { return }
    if ends[0].isEmpty {
      guard let length = Self.number(ends[1]) else { return }
      self = length == 0 || size == 0 ? .notSatisfiable : .part(first: max(0, size - length), last: size - 1)
      return
    }
    guard let first = Self.number(ends[0]) else { return }
    if ends[1].isEmpty {
      self = first < size ? .part(first: first, last: size - 1) : .notSatisfiable
      return
    }
    guard let last = Self.number(ends[1]), last >= first else { return }
    self = first < size ? .part(first: first, last: min(last, size - 1)) : .notSatisfiable
  }

  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(text)
  }
}
