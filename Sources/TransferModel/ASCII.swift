// What an ASCII byte is. The grammars of HTTP, JSON and dates are written in ASCII; Unicode's idea of a letter or a digit
// is wider and wrong there.

/// Classes of bytes, and the numbers that digits stand for.
package enum ASCII {
  @inline(__always)
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// Space and TAB, the blanks of HTTP fields (RFC 9110 section 5.6.3).
  @inline(__always)
  package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  @inline(__always)
  package static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// 0 ..< 16; nil when the byte is no hexadecimal digit.
  @inline(__always)
  package static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// The number that these digits and nothing else spell; nil for an empty text, a sign, or more than `Int64.max`.
  package static func number(_ digits: some Collection<UInt8>) -> Int64? {
    var value: Int64 = 0
    var isEmpty = true
    for byte in digits {
      guard isDigit(byte) else { return nil }
      let (tenfold, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = tenfold.addingReportingOverflow(Int64(byte &- 0x30))
      guard !tooLarge, !overflow else { return nil }
      value = sum
      isEmpty = false
    }
    return isEmpty ? nil : value
  }

  /// The same for a text: other modules get the general one unspecialised, at ten times the cost.
  package static func number(_ digits: String.UTF8View) -> Int64? {
    digits.withContiguousStorageIfAvailable { number($0) } ?? number(digits[...])
  }

  /// Whether two texts are the same when ASCII letters are compared without regard to case.
  package static func equalIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// The text without spaces, TABs, CRs and LFs at either end.
  package static func trimmed(_ text: Substring) -> Substring {
    var rest = text
    while let first = rest.utf8.first, isBlank(first) || first == 0x0A || first == 0x0D {
      rest = Substring(rest.utf8.dropFirst())
    }
    while let last = rest.utf8.last, isBlank(last) || last == 0x0A || last == 0x0D {
      rest = Substring(rest.utf8.dropLast())
    }
    return rest
  }
}
