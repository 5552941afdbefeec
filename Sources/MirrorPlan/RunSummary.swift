// The words with which a run ends, for people; the report has the same for machines.

package import TransferModel

/// Folds outcomes; keeps the first ten failures and no more.
package struct RunSummary: Sendable {
  package static let shownFailures = 10

  package private(set) var totals = ReportTotals()
  private var shown: [String] = []
  private var failures = 0
  private var leftByBudget = 0
  private var remarks: [String] = []

  package init() {}

  package mutating func add(_ entry: EntryOutcome) {
    totals.add(entry)
    guard let failure = entry.failure else { return }
    if failure.reason == .budgetExhausted { leftByBudget += 1 }
    guard entry.outcome != .interrupted, entry.outcome != .skipped else { return }
    add(failure, at: entry.destination)
  }

  /// A failure of the run that belongs to no entry; `place` is what it is about, a tree's prefix for example.
  package mutating func add(_ failure: TransferFailure, at place: String) {
    failures += 1
    guard shown.count < Self.shownFailures else { return }
    var text = "  \(TerminalText.escape(place)): \(failure.message) [\(failure.reason.rawValue)]\n"
    if let hint = failure.hint { text += "    hint: \(hint)\n" }
    shown.append(text)
  }

  /// Something to say by name that is no failure.
  package mutating func remark(_ failure: TransferFailure) {
    remarks.append("\(failure.message).\n" + (failure.hint.map { "  hint: \($0)\n" } ?? ""))
  }

  /// Lines, each with its line break. `reportPath` nil = there is no report to point to; `listsFailures` off = each was
  /// said when it happened.
  package func text(elapsed: Duration, reportPath: String? = nil, listsFailures: Bool = true) -> String {
    var text = "Done: \(counts()).\n"
    if totals.bytes > 0 { text += traffic(elapsed) }
    if totals.weakComparisons > 0 {
      text += "\(TerminalText.grouped(totals.weakComparisons)) compared by date, size or nothing better.\n"
    }
    if totals.unproven > 0 {
      text += "\(TerminalText.grouped(totals.unproven)) not proven to be whole: "
      text += "only the end of the connection ended them (unverified_length).\n"
    }
    if totals.keptChanges > 0 {
      text += "\(TerminalText.grouped(totals.keptChanges)) not as mirror had left them, and kept.\n"
    }
    if leftByBudget > 0 {
      text += "\(TerminalText.grouped(leftByBudget)) left for a later run, because the budget of this one is used up.\n"
    }
    text += remarks.joined()
    guard failures > 0, listsFailures else { return text }
    text += "\(TerminalText.grouped(failures)) failed:\n" + shown.joined()
    if failures > shown.count {
      let more = TerminalText.grouped(failures - shown.count)
      text += reportPath.map { "  and \(more) more, see \(TerminalText.escape($0))\n" } ?? "  and \(more) more\n"
    }
    return text
  }

  private func counts() -> String {
    guard totals.all > 0 else { return "0 items, nothing to do" }
    var parts = [
      "\(TerminalText.grouped(totals[.downloaded])) downloaded", "\(TerminalText.grouped(totals[.updated])) updated",
      "\(TerminalText.grouped(totals[.deleted])) deleted",
      "\(TerminalText.grouped(totals[.unchanged] + totals[.adopted])) unchanged",
    ]
    let others: [(Outcome, String)] = [
      (.metadataSet, "with a new mode or time"), (.placeholder, "replaced by a placeholder"), (.failed, "failed"),
      (.skipped, "not tried"), (.interrupted, "interrupted"),
    ]
    for (outcome, words) in others where totals[outcome] > 0 {
      parts.append("\(TerminalText.grouped(totals[outcome])) \(words)")
    }
    return parts.joined(separator: ", ")
  }

  private func traffic(_ elapsed: Duration) -> String {
    let seconds = elapsed.inSeconds
    let tenths = Int((seconds * 10).rounded())
    var text = "\(ByteCount(totals.bytes)) received in \(tenths / 10).\(tenths % 10) s"
    if seconds >= 0.1 { text += " (\(ByteCount(Int64(Double(totals.bytes) / seconds)))/s)" }
    if totals.bytesResumed > 0 { text += ", \(ByteCount(totals.bytesResumed)) kept from earlier runs" }
    return text + ".\n"
  }
}
