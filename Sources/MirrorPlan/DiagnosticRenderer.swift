// Findings as text for people and as JSON for machines. Where they are printed is the caller's business.

import TransferModel

/// Shows findings about one text.
///
/// ```
/// error: unknown key `reff` in an item
///   --> mirror.yaml:12:5
///    |
/// 12 |   - reff: images/stars.jpg
///    |     ^^^^
///    = help: did you mean `ref`?
/// ```
package struct DiagnosticRenderer: Sendable {
  private let name: String
  private let source: SourceText

  /// `name` is what the text is called (its path); `source` is the text, whole.
  package init(name: String, source: [UInt8]) {
    self.name = name
    self.source = SourceText(source)
  }

  /// All findings, one below the other, each ending in a line break and set apart by an empty line.
  package func text(of diagnostics: [Diagnostic]) -> String {
    let hidden = Self.hiddenColumns(diagnostics)
    return diagnostics.map { text(of: $0, hiddenFrom: hidden[$0.mark.line]) }.joined(separator: "\n")
  }

  private func text(of diagnostic: Diagnostic, hiddenFrom: Int?) -> String {
    var lines = ["\(diagnostic.severity.rawValue): \(diagnostic.message.escapedForTerminal)"]
    let mark = diagnostic.mark
    let number = String(mark.line)
    let margin = String(repeating: " ", count: mark.line > 0 ? number.utf8.count : 1)
    if mark.line > 0 {
      lines.append("\(margin)--> \(name.escapedForTerminal):\(mark.line):\(mark.column)")
    }
    if let line = source.line(mark.line) {
      let excerpt = SourceExcerpt(
        line: line, column: mark.column, length: diagnostic.length, hiddenFrom: hiddenFrom)
      lines.append("\(margin) |")
      lines.append("\(number) | \(excerpt.text)")
      lines.append("\(margin) | \(excerpt.underline)")
    }
    if let hint = diagnostic.hint { lines.append("\(margin) = help: \(hint.escapedForTerminal)") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// An array of `{severity, file, line, column, length, message, hint}`; line and column are left out when the finding is
  /// about no place, the hint when there is none. No source text: it may hold secrets.
  package func json(of diagnostics: [Diagnostic]) -> [UInt8] {
    var writer = JSONWriter(layout: .indented)
    writer.beginArray()
    for diagnostic in diagnostics {
      writer.beginObject()
      writer.member("severity", diagnostic.severity.rawValue)
      writer.member("file", name)
      if diagnostic.mark.line > 0 {
        writer.member("line", diagnostic.mark.line)
        writer.member("column", diagnostic.mark.column)
        writer.member("length", diagnostic.length)
      }
      writer.member("message", diagnostic.message)
      writer.member("hint", diagnostic.hint)
      writer.endObject()
    }
    writer.endArray()
    writer.newline()
    return writer.takeBytes()
  }

  /// By line, the column from which on a line is secret.
  private static func hiddenColumns(_ diagnostics: [Diagnostic]) -> [Int: Int] {
    var columns: [Int: Int] = [:]
    for diagnostic in diagnostics where diagnostic.isSecret {
      columns[diagnostic.mark.line] = min(diagnostic.mark.column, columns[diagnostic.mark.line] ?? .max)
    }
    return columns
  }
}
