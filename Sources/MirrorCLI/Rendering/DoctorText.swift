// The findings of `mirror doctor` in words, and the exit status that they mean.

import MirrorEngine
import MirrorPlan
import TransferModel

enum DoctorText {
  /// A line a finding, worst words in capitals so that they are found; a hint on a line of its own; then a count.
  static func text(_ findings: [DoctorFinding]) -> String {
    var text = ""
    for finding in findings {
      text += "\(word(finding.verdict))  \(finding.subject.rawValue): \(TerminalText.escape(finding.message))\n"
      if let hint = finding.hint { text += "      hint: \(TerminalText.escape(hint))\n" }
    }
    let bad = findings.count { $0.verdict == .bad }
    let doubtful = findings.count { $0.verdict == .doubtful }
    return text + "\(findings.count) looked at, \(bad) bad, \(doubtful) doubtful.\n"
  }

  /// Schema `mirror.doctor/1`.
  static func json(_ findings: [DoctorFinding]) -> String {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("schema", "mirror.doctor/1")
    writer.key("findings")
    writer.beginArray()
    for finding in findings {
      writer.beginObject(onOneLine: true)
      writer.member("subject", finding.subject.rawValue)
      writer.member("verdict", finding.verdict.rawValue)
      writer.member("message", finding.message)
      if let hint = finding.hint { writer.member("hint", hint) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.newline()
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  /// What is bad makes a run fail; what is doubtful does not.
  static func status(of findings: [DoctorFinding]) -> ExitStatus {
    findings.contains { $0.verdict == .bad } ? .failedForGood : .done
  }

  private static func word(_ verdict: DoctorFinding.Verdict) -> String {
    switch verdict {
    case .good: "ok  "
    case .doubtful: "HMM "
    case .bad: "BAD "
    }
  }
}
