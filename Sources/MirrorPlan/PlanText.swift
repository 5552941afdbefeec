// A plan as lines for people and for `grep`: one row a line, and a last line that sums up.

import TransferModel

/// | sign | action |
/// | --- | --- |
/// | `+` | download |
/// | `~` | update |
/// | `=` | skip and adopt, only when `verbose`; always when a file stays that mirror did not leave as it is |
/// | `-` | delete |
/// | `m` | metadata |
/// | `?` | not looked up (`--offline`) |
/// | `!` | conflict and error; the message stands in place of the reason, a hint on a line of its own |
///
/// Behind the sign: the size in ten columns, the destination, the reason, and what it was compared by. Names are escaped,
/// so a line is a line.
package struct PlanText: Sendable {
  package var verbose: Bool

  package init(verbose: Bool = false) { self.verbose = verbose }

  /// The row's lines, each with its line break; nil when the row is not shown.
  package func lines(for row: PlannedEntry) -> String? {
    guard verbose || Self.isWorthSaying(row) else { return nil }
    let size = row.size?.description ?? "-"
    let padding = String(repeating: " ", count: max(0, 10 - size.utf8.count))
    let sign = row.isNotLookedUp ? "?" : Self.sign(of: row.action)
    var text = "\(sign) \(padding)\(size)  \(TerminalText.escape(row.destination))  "
    if let failure = row.failure {
      text += "\(failure.message) [\(failure.reason.rawValue)]\n"
      if let hint = failure.hint { text += "    hint: \(hint)\n" }
      return text
    }
    text += Self.words(row.reason.text)
    if row.comparedBy != .none { text += ", by \(Self.words(row.comparedBy.rawValue))" }
    return text + "\n"
  }

  /// The last line, with its line break.
  package func summary(of totals: PlanTotals) -> String {
    guard totals.all > 0 else { return "Plan: 0 items, nothing to do.\n" }
    var parts = [
      "\(TerminalText.grouped(totals[.download])) to download\(Self.amount(totals.downloadBytes))",
      "\(TerminalText.grouped(totals[.update])) to update\(Self.amount(totals.updateBytes))",
      "\(TerminalText.grouped(totals[.delete])) to delete",
      "\(TerminalText.grouped(totals.unchanged)) unchanged",
    ]
    if totals[.metadata] > 0 {
      parts.insert("\(TerminalText.grouped(totals[.metadata])) to set the mode or time of", at: 2)
    }
    if totals[.conflict] > 0 { parts.append("\(TerminalText.grouped(totals[.conflict])) in conflict") }
    if totals[.error] > 0 { parts.append("\(TerminalText.grouped(totals[.error])) with an error") }
    var text = "Plan: \(parts.joined(separator: ", "))."
    if totals.notLookedUp > 0 {
      text += " \(TerminalText.grouped(totals.notLookedUp)) not looked up: no server was asked anything."
    }
    if totals.unknownSizes > 0 { text += " \(TerminalText.grouped(totals.unknownSizes)) of unknown size." }
    if totals.weakComparisons > 0 {
      text += " \(TerminalText.grouped(totals.weakComparisons)) compared by date, size or nothing better."
    }
    return text + "\n"
  }

  private static func isWorthSaying(_ row: PlannedEntry) -> Bool {
    switch row.action {
    case .skip: row.reason == .localChange || row.reason == .localDiffers
    case .adopt: false
    case .download, .update, .metadata, .delete, .conflict, .error: true
    }
  }

  private static func sign(of action: Action) -> String {
    switch action {
    case .download: "+"
    case .update: "~"
    case .adopt, .skip: "="
    case .metadata: "m"
    case .delete: "-"
    case .conflict, .error: "!"
    }
  }

  private static func words(_ text: String) -> String {
    String(text.map { $0 == "_" ? " " : $0 })
  }

  private static func amount(_ bytes: Int64) -> String { bytes > 0 ? " (\(ByteCount(bytes)))" : "" }
}
