// What characters do to a terminal: which must not reach it as they are, and how wide the others are.

extension String {
  /// The text with every character escaped that could drive a terminal, hide text or break a line.
  var escapedForTerminal: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    return unicodeScalars.map { $0.mustBeEscaped ? $0.escaped : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether printing it could drive the terminal, or show a text in another order than it has.
  var mustBeEscaped: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }

  /// `\u{1b}`.
  var escaped: String { "\\u{\(String(value, radix: 16))}" }

  /// The cells that a terminal gives to it (Unicode Standard Annex 11: wide and full-width are 2, combining marks 0).
  var terminalWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
