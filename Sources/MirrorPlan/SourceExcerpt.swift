// One line of source as a terminal can show it, and the caret below it.

/// A line cut to fit, with what must not be shown made harmless: control and direction characters are escaped, tabs become
/// spaces, secrets become asterisks.
struct SourceExcerpt {
  /// The line, without a line break.
  let text: String
  /// Spaces and carets that stand below the marked characters.
  let underline: String

  /// The most cells of a terminal that an excerpt takes.
  static let maximumCells = 100

  /// `column` is counted from 1 in characters; `hiddenFrom` is the column from which all is secret.
  init(line: some Sequence<UInt8>, column: Int, length: Int, hiddenFrom: Int? = nil) {
    let scalars = Array(String(decoding: Array(line), as: UTF8.self).unicodeScalars)
    let secret = SecretMask.mask(of: scalars, hiddenFrom: hiddenFrom)
    let cells = scalars.indices.map { secret[$0] ? Cell("*", 1) : Cell(scalars[$0]) }
    let first = min(max(0, column - 1), cells.count)
    let last = min(first + max(1, length), max(cells.count, first + 1))
    let window = Self.window(of: cells, around: first..<last)
    var text = window.lowerBound > 0 ? "…" : ""
    var underline = window.lowerBound > 0 ? " " : ""
    for index in window where index < cells.count {
      text += cells[index].text
      if index < first { underline += String(repeating: " ", count: cells[index].width) }
      if index >= first, index < last { underline += String(repeating: "^", count: max(1, cells[index].width)) }
    }
    if first >= cells.count { underline += "^" }
    if window.upperBound < cells.count { text += "…" }
    self.text = text
    self.underline = underline
  }

  /// The part that is shown: a third of the room before the caret, the rest behind it.
  private static func window(of cells: [Cell], around marked: Range<Int>) -> Range<Int> {
    if cells.reduce(0, { $0 + $1.width }) <= maximumCells { return 0..<cells.count }
    var lower = min(marked.lowerBound, cells.count)
    var room = maximumCells / 3
    while lower > 0, room >= cells[lower - 1].width {
      lower -= 1
      room -= cells[lower].width
    }
    var upper = lower
    room = maximumCells
    while upper < cells.count, room >= cells[upper].width {
      room -= cells[upper].width
      upper += 1
    }
    return lower..<upper
  }

  private struct Cell {
    var text: String
    var width: Int

    init(_ text: String, _ width: Int) {
      self.text = text
      self.width = width
    }

    init(_ scalar: Unicode.Scalar) {
      if scalar == "\t" {
        self.init("    ", 4)
      } else if scalar.mustBeEscaped {
        let text = "\\u{\(String(scalar.value, radix: 16))}"
        self.init(text, text.utf8.count)
      } else {
        self.init(String(scalar), scalar.terminalWidth)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether printing it could drive the terminal, or show a text in another order than it has.
  fileprivate var mustBeEscaped: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }

  /// The cells that a terminal gives to it (Unicode Standard Annex 11: wide and full-width are 2, combining marks 0).
  fileprivate var terminalWidth: Int {
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
