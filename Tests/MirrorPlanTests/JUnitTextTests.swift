// JUnit XML and Prometheus' text: what runs look like to other programs.

import Testing
import TransferModel

@testable import MirrorPlan

@Suite("JUnit XML")
struct JUnitTextTests {
  private static func entry(
    _ destination: String, _ outcome: Outcome, _ failure: TransferFailure? = nil
  ) -> EntryOutcome {
    EntryOutcome(
      reference: "https://a.example/x?a=1&b", destination: destination, action: .download, outcome: outcome,
      reason: .new, duration: .milliseconds(1_234), failure: failure)
  }

  private static let failure = TransferFailure(
    .notFound, .permanent, "\"x\" <is> not\u{1}there", hint: "Look & see.\nThen run again.")

  @Test(
    "an entry is a test case in its folder",
    arguments: [
      (entry("a/b/c.txt", .downloaded), #"<testcase classname="a/b" name="a/b/c.txt" time="1.234"/>"#),
      (entry("c & d", .unchanged), #"<testcase classname="." name="c &amp; d" time="1.234"/>"#),
      (
        entry("c", .failed, failure),
        #"<testcase classname="." name="c" time="1.234"><failure type="not_found" "#
          + #"message="&quot;x&quot; &lt;is&gt; not\#u{FFFD}there">"x" &lt;is&gt; not\#u{FFFD}there"#
          + "\nLook &amp; see.\nThen run again.\nhttps://a.example/x?a=1&amp;b</failure></testcase>"
      ),
      (
        entry("c", .skipped),
        #"<testcase classname="." name="c" time="1.234"><skipped message="skipped"/></testcase>"#
      ),
    ])
  func testCases(entry: EntryOutcome, text: String) { #expect(JUnitText.testCase(entry) == text + "\n") }

  @Test(
    "every outcome is passed, failed or skipped",
    arguments: zip(Outcome.allCases, [0, 0, 0, 0, 0, 0, 1, 2, 2, 1]))
  func verdicts(outcome: Outcome, verdict: Int) {
    var counts = ReportTotals()
    counts.add(Self.entry("x", outcome, outcome == .failed ? Self.failure : nil))
    let totals = JUnitText.Totals(counts, errors: 0)
    #expect(
      [totals.tests, totals.failures, totals.skipped, totals.errors] == [1, verdict == 1 ? 1 : 0, verdict / 2, 0])
    let text = JUnitText.testCase(Self.entry("x", outcome))
    #expect(text.contains("<failure") == (verdict == 1) && text.contains("<skipped") == (verdict == 2))
  }

  @Test("the head is as long for one run as for another, whatever it counts")
  func head() {
    var totals = JUnitText.Totals()
    let empty = JUnitText.head(of: "m \"1\".yaml", totals)
    totals = JUnitText.Totals(ReportTotals(), errors: 100_000)
    totals.duration = .seconds(1_000_000)
    totals.start = Timestamp(seconds: 1_700_000_000)
    let full = JUnitText.head(of: "m \"1\".yaml", totals)
    #expect(full.utf8.count == empty.utf8.count)
    #expect(full.contains(#"<testsuite name="m &quot;1&quot;.yaml" tests="100000" "#))
    #expect(full.contains(#" errors="100000" "#) && full.contains(#" time="1000000.000" "#))
    #expect(full.contains(#" timestamp="2023-11-14T22:13:20Z""#))
  }

  @Test(
    "what XML cannot hold becomes U+FFFD, and line breaks in attributes stay what they are",
    arguments: [
      ("a\tb\nc\rd", "a\tb\nc&#13;d", "a&#9;b&#10;c&#13;d"),
      ("\u{0}\u{B}\u{1F}\u{FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", nil),
      ("é\u{1F600}\u{7F}", "é\u{1F600}\u{7F}", nil), ("]]>", "]]&gt;", nil), ("\"'", "\"'", "&quot;'"),
    ] as [(String, String, String?)])
  func escaped(text: String, element: String, attribute: String?) {
    #expect(JUnitText.escaped(text, inAttribute: false) == element)
    #expect(JUnitText.escaped(text, inAttribute: true) == attribute ?? element)
  }
}

@Suite("Prometheus' text")
struct PrometheusTextTests {
  @Test("every sample is a gauge with help and a root")
  func whole() {
    var totals = ReportTotals()
    totals.add(
      EntryOutcome(
        reference: "x", destination: "x", action: .download, outcome: .downloaded, reason: .new, bytes: 7))
    let text = PrometheusText(
      root: "/srv/a \"b\"\\c\nd", start: Timestamp(seconds: 1_700_000_000),
      end: Timestamp(seconds: 1_700_000_002, nanoseconds: 500_000_000), lastSuccess: Timestamp(seconds: 1_600_000_000),
      exitStatus: 3, totals: totals
    ).text
    let root = #"root="/srv/a \"b\"\\c\nd""#
    let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(samples.count == 6 + Outcome.allCases.count)
    for sample in [
      "mirror_last_run_timestamp_seconds{\(root)} 1700000002.500", "mirror_last_run_duration_seconds{\(root)} 2.500",
      "mirror_last_run_exit_status{\(root)} 3", "mirror_last_run_entries{\(root),outcome=\"downloaded\"} 1",
      "mirror_last_run_entries{\(root),outcome=\"metadata_set\"} 0", "mirror_last_run_received_bytes{\(root)} 7",
      "mirror_last_run_retries{\(root)} 0", "mirror_last_success_timestamp_seconds{\(root)} 1600000000.000",
    ] {
      #expect(samples.contains(sample), "\(sample)")
    }
    var known: Set<String> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        known.insert(String(words[2]))
        #expect(words[3] == "gauge" && text.contains("# HELP \(words[2]) "))
      } else if !line.hasPrefix("#") {
        #expect(known.contains(String(line.prefix { $0 != "{" })), "\(line)")
      }
    }
    #expect(text.hasSuffix("\n"))
  }

  @Test("a mirror that never ended well has no time of it; a shard's series are its own")
  func never() {
    let text = PrometheusText(
      root: "/", shard: "3/8", start: Timestamp(seconds: 1), end: Timestamp(seconds: 2), lastSuccess: nil,
      exitStatus: 3, totals: ReportTotals()
    ).text
    #expect(!text.contains("last_success"))
    #expect(text.contains("mirror_last_run_exit_status{root=\"/\",shard=\"3/8\"} 3\n"))
  }
}
