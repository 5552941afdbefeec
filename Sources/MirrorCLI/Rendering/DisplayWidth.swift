// How many columns a text takes on a terminal, and how it is cut to fit.
// Good for aligning and for never wrapping a line; not a full implementation of Unicode's UAX #11.

enum DisplayWidth {
  /// The columns of a text without control characters.
  static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The text, or as much of its end as fits behind an ellipsis: of a path, the end says more than the beginning.
  static func tail(of text: String, columns limit: Int) -> String {
    guard columns(of: text) > limit else { return text }
    guard limit > 1 else { return String(repeating: "…", count: max(0, limit)) }
    var kept: [Character] = []
    var room = limit - 1
    for character in text.reversed() {
      room -= columns(of: character)
      guard room >= 0 else { break }
      kept.append(character)
    }
    return "…" + String(kept.reversed())
  }

  /// The text, cut at the end.
  static func head(of text: String, columns limit: Int) -> String {
    var kept = ""
    var room = limit
    for character in text {
      room -= columns(of: character)
      guard room >= 0 else { break }
      kept.append(character)
    }
    return kept
  }

  private static func columns(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar) || character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
  }

  /// The blocks that UAX #11 counts as wide (W) or full-width (F), in whole blocks.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
