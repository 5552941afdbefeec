// A run as JUnit XML, the form in which CI services take results (testsuites, testsuite, testcase; Jenkins' and GitLab's
// readers). Pieces only: where they go, and that the first comes last, is the document's.

package import TransferModel

package enum JUnitText {
  /// What the opening tags say, which is known at the end.
  package struct Totals: Hashable, Sendable {
    package var tests = 0
    package var failures = 0
    package var errors = 0
    package var skipped = 0
    package var start = Timestamp(seconds: 0)
    package var duration = Duration.zero

    package init() {}

    /// - errors: failures that belong to no entry.
    package init(_ totals: ReportTotals, errors: Int) {
      tests = totals.all + errors
      self.errors = errors
      for outcome in Outcome.allCases {
        switch Verdict(outcome) {
        case .passed: break
        case .failed: failures += totals[outcome]
        case .skipped: skipped += totals[outcome]
        }
      }
    }
  }

  private enum Verdict {
    case passed, failed, skipped

    init(_ outcome: Outcome) {
      switch outcome {
      case .downloaded, .updated, .adopted, .unchanged, .metadataSet, .deleted: self = .passed
      case .failed, .placeholder: self = .failed
      case .skipped, .interrupted: self = .skipped
      }
    }
  }

  /// The beginning of the document. As long for one `Totals` as for another, so that it can be written over.
  package static func head(of name: String, _ totals: Totals) -> String {
    let counts = [
      ("tests", "\(totals.tests)"), ("failures", "\(totals.failures)"), ("errors", "\(totals.errors)"),
      ("skipped", "\(totals.skipped)"), ("time", totals.duration.decimalSeconds),
    ].map { padded(attribute($0.0, $0.1)) }.joined()
    let timestamp = padded(attribute("timestamp", totals.start.rfc3339(.seconds)))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites\(attribute("name", "mirror"))\(counts)>
      <testsuite\(attribute("name", name))\(counts)\(timestamp)>

      """
  }

  package static let tail = "</testsuite>\n</testsuites>\n"

  /// One entry. Its class is its folder, by which CI services group.
  package static func testCase(_ entry: EntryOutcome) -> String {
    let slash = entry.destination.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(entry.destination[..<$0]) } ?? "."
    let open =
      "<testcase" + attribute("classname", folder) + attribute("name", entry.destination)
      + attribute("time", entry.duration.decimalSeconds)
    let child: String
    switch Verdict(entry.outcome) {
    case .passed: return open + "/>\n"
    case .skipped:
      child = "<skipped" + attribute("message", entry.failure?.message ?? entry.outcome.rawValue) + "/>"
    case .failed: child = element("failure", entry.failure, of: entry.reference)
    }
    return open + ">" + child + "</testcase>\n"
  }

  /// A failure that belongs to no entry.
  package static func testCase(_ failure: TransferFailure) -> String {
    "<testcase" + attribute("classname", ".") + attribute("name", failure.reason.rawValue) + ">"
      + element("error", failure, of: nil) + "</testcase>\n"
  }

  private static func element(_ name: String, _ failure: TransferFailure?, of reference: String?) -> String {
    guard let failure else { return "<\(name)/>" }
    let text = [failure.message, failure.hint, reference].compactMap { $0 }.joined(separator: "\n")
    return "<\(name)" + attribute("type", failure.reason.rawValue) + attribute("message", failure.message) + ">"
      + escaped(text, inAttribute: false) + "</\(name)>"
  }

  private static func attribute(_ name: String, _ value: String) -> String {
    " \(name)=\"\(escaped(value, inAttribute: true))\""
  }

  /// White space between attributes says nothing.
  private static func padded(_ attribute: String) -> String {
    attribute + String(repeating: " ", count: max(0, 32 - attribute.utf8.count))
  }

  /// Text as XML has it. What XML 1.0 has no way to write (section 2.2: most control characters) becomes U+FFFD.
  static func escaped(_ text: String, inAttribute: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"" where inAttribute: escaped += "&quot;"
      case "\t" where inAttribute: escaped += "&#9;"
      case "\n" where inAttribute: escaped += "&#10;"
      case "\r": escaped += "&#13;"
      case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        escaped.unicodeScalars.append(scalar)
      default: escaped += "\u{FFFD}"
      }
    }
    return escaped
  }
}
