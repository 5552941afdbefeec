// How people write a span of time.

extension Duration {
  /// Reads `250ms`, `10s`, `5m`, `2h`, `7d`, and several of them from large to small (`1h30m`); whole numbers only. nil when
  /// the text is none of these, a number has no unit, or the whole is more than 100 years.
  package init?(parsing text: String) {
    var total: Int64 = 0
    var number: Int64?
    var lastUnit = Int64.max
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.first {
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        number = (number ?? 0) * 10 + Int64(byte - UInt8(ascii: "0"))
        guard number ?? 0 <= Self.limit else { return nil }
        bytes.removeFirst()
        continue
      }
      guard let count = number, let unit = Self.takeUnit(&bytes), unit < lastUnit else { return nil }
      let (part, overflow) = count.multipliedReportingOverflow(by: unit)
      total += part
      guard !overflow, part <= Self.limit, total <= Self.limit else { return nil }
      lastUnit = unit
      number = nil
    }
    guard number == nil, lastUnit < Int64.max else { return nil }
    self = .milliseconds(total)
  }

  /// 100 years of 365 days, in milliseconds.
  private static let limit: Int64 = 100 * 365 * 86_400_000

  /// The milliseconds of the unit at the front, which is removed.
  private static func takeUnit(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    if bytes.starts(with: "ms".utf8) {
      bytes = bytes.dropFirst(2)
      return 1
    }
    switch bytes.popFirst() {
    case UInt8(ascii: "s"): return 1_000
    case UInt8(ascii: "m"): return 60_000
    case UInt8(ascii: "h"): return 3_600_000
    case UInt8(ascii: "d"): return 86_400_000
    default: return nil
    }
  }
}
