// A number of bytes as a type, how people write one, and how we print one.

/// A number of bytes; never negative when it comes from `init(parsing:)`.
package struct ByteCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  package var bytes: Int64

  package init(_ bytes: Int64) { self.bytes = bytes }
  package init(integerLiteral value: Int64) { bytes = value }

  package static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

  private static let units: [(suffix: String, factor: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("B", 1),
  ]

  /// Reads `1MiB`, `1MB`, `1.5GiB`, `1048576` or `1048576B`; nil when the text is none of these, negative, or more than
  /// `Int64.max` bytes. Units are read without regard to case; `KB` is 1,000 and `KiB` is 1,024 (IEC 80000-13).
  package init?(parsing text: String) {
    var number = Substring(text)
    var factor: Int64 = 1
    for unit in Self.units where text.utf8.count > unit.suffix.utf8.count {
      let tail = text.suffix(unit.suffix.count)
      if tail.lowercased() == unit.suffix.lowercased() {
        number = text.dropLast(unit.suffix.count)
        factor = unit.factor
        break
      }
    }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = Self.digits(parts[0]) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    guard parts.count == 2 else {
      bytes = product
      return
    }
    guard parts[1].utf8.count <= 9, let fraction = Self.digits(parts[1]) else { return nil }
    var scale: Int64 = 1
    for _ in 0..<parts[1].utf8.count { scale *= 10 }
    // Exact in 128 bits; less than `factor`, so the quotient fits.
    let extra = scale.dividingFullWidth(factor.multipliedFullWidth(by: fraction)).quotient
    let (sum, tooLarge) = product.addingReportingOverflow(extra)
    guard !tooLarge, factor > 1 || fraction == 0 else { return nil }
    bytes = sum
  }

  private static func digits(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(text)
  }
}

extension ByteCount: CustomStringConvertible {
  /// Exact below 1 KiB (`512 B`), else with one decimal in the largest binary unit that fits (`3.4 MiB`).
  package var description: String {
    guard bytes >= 1 << 10 || bytes <= -(1 << 10) else { return "\(bytes) B" }
    var value = Double(bytes) / 1024
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
      if abs(value) < 1023.95 || unit == "TiB" {
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) \(unit)"
      }
      value /= 1024
    }
    return "\(bytes) B"
  }
}
