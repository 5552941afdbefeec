// The lists that other programs take, and how they are told apart.

import TransferModel

/// Where the lines of a list come from.
package enum ImportFormat: String, CaseIterable, Sendable {
  /// One URL a line, as `wget -i`, `curl` scripts and `xargs` take them.
  case urls
  /// `URL,NAME` a line, as `rclone copyurl --urls` takes it; the name may be left out.
  case csv
  /// aria2's input file: URLs of one file on a line, set apart by tabs, and below it options, indented.
  case aria2
  /// Storage Transfer Service's list of URLs: URL, size and base64 MD5, set apart by tabs, below the line `TsvHttpData-1.0`.
  case tsv

  static let tsvHeader = "TsvHttpData-1.0"

  /// What the text is, going by the text itself; a list with commas is CSV only if its name says so, as a URL may have
  /// commas too.
  ///
  /// | the text | is |
  /// | --- | --- |
  /// | begins with the line `TsvHttpData-1.0` | `tsv` |
  /// | is called `….csv` | `csv` |
  /// | has an indented line, or a tab in a line | `aria2` |
  /// | anything else | `urls` |
  static func of(_ lines: [ImportLine], named name: String) -> ImportFormat {
    if lines.first?.text == tsvHeader { return .tsv }
    if name.lowercased().hasSuffix(".csv") { return .csv }
    return lines.contains { $0.isIndented || $0.text.utf8.contains(UInt8(ascii: "\t")) } ? .aria2 : .urls
  }
}

/// A line that says something: not empty, and no comment.
struct ImportLine {
  /// Counted from 1.
  let number: Int
  /// Without what stands around it.
  let text: String
  /// How many characters stood before the text.
  let indent: Int

  var isIndented: Bool { indent > 0 }
  var mark: SourceMark { SourceMark(line: number, column: indent + 1) }

  /// The lines of a text; those that begin with `#` are comments in each of the formats that has any.
  static func all(of text: String) -> [ImportLine] {
    var lines: [ImportLine] = []
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = text.utf8.dropFirst(text.utf8.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
    for (place, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = ASCII.trimmed(Substring(line))
      guard let first = text.utf8.first, first != UInt8(ascii: "#") else { continue }
      lines.append(ImportLine(number: place + 1, text: String(text), indent: line.prefix { ASCII.isBlank($0) }.count))
    }
    return lines
  }
}
