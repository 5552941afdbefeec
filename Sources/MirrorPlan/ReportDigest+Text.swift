// The sum of reports for people: lines.

import TransferModel

extension ReportDigest {
  private static let shownFailures = 20

  /// Lines, each with its line break.
  package func text(verbose: Bool) -> String {
    var text = ""
    for run in runs {
      text +=
        "\(TerminalText.escape(run.manifest)) on \(TerminalText.escape(run.host)), \(TerminalText.escape(run.start))"
      if let shard = run.shard { text += ", shard \(TerminalText.escape(shard))" }
      text += ": \(Self.words(run))\n"
    }
    if let missing = missingWords { text += "\(missing)\n" }
    let shown = totals.filter { $0.count > 0 || $0.word == "items" }
    text += "\n" + shown.map { line($0) }.joined()
    guard !reasons.isEmpty else { return text }
    text += "\n" + reasons.map { "  \(TerminalText.grouped($0.count)) × \(TerminalText.escape($0.word))\n" }.joined()
    let limit = verbose ? Self.keptFailures : Self.shownFailures
    text += "\n"
    for failure in failures.prefix(limit) {
      let place = failure.place.isEmpty ? "" : TerminalText.escape(failure.place) + ": "
      text += "  \(place)\(TerminalText.escape(failure.message)) [\(TerminalText.escape(failure.reason))]\n"
      if let hint = failure.hint { text += "    hint: \(TerminalText.escape(hint))\n" }
    }
    let all = reasons.reduce(0) { $0 + $1.count }
    if all > min(limit, failures.count) {
      text += "  and \(TerminalText.grouped(all - min(limit, failures.count))) more\n"
    }
    return text
  }

  private func line(_ total: (word: String, count: Int64)) -> String {
    let words = String(total.word.map { $0 == "_" ? " " : $0 })
    let padding = String(repeating: " ", count: max(1, 18 - words.utf8.count))
    let count = total.word.hasPrefix("bytes") ? "\(ByteCount(total.count))" : TerminalText.grouped(Int(total.count))
    return "  \(TerminalText.escape(words))\(padding)\(count)\n"
  }

  static func words(_ run: Run) -> String {
    guard let exit = run.exit else { return "without an exit status" }
    let meaning = ExitStatus(rawValue: exit)?.meaning ?? "unknown"
    return "exit status \(exit), \(meaning)"
  }
}
