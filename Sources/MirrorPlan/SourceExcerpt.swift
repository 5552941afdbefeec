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
        let text = scalar.escaped
        self.init(text, text.utf8.count)
      } else {
        self.init(String(scalar), scalar.terminalWidth)
      }
    }
  }
}
