// Names as they may be shown: whatever bytes a bucket's owner chose, a terminal and a line format must survive them.
// Not for JSON (`JSONWriter` escapes by its own rules) and never for names that are used.

package enum TerminalText {
  /// The text with every control character, line separator and bidirectional override replaced by an escape (`\n`, `\t`,
  /// `\u{1B}`), and every backslash doubled, so that two names never look the same. Most texts come back unchanged.
  package static func escape(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) { return text }
    var shown = ""
    shown.reserveCapacity(text.utf8.count + 8)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      case "\\": shown += "\\\\"
      case _ where isUnsafe(scalar.value): shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// C0, DEL and C1; line and paragraph separator; the marks that reorder text (Unicode annex 9), and the invisible ones
  /// that make two names look alike.
  private static func isUnsafe(_ value: UInt32) -> Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
    default: false
    }
  }
}

extension TerminalText {
  /// A count with its thousands set apart: `9,996`.
  package static func grouped(_ count: Int) -> String {
    let digits = Array(String(count.magnitude))
    var text = count < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }
}
