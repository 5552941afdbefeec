// The last words of a run.

import MirrorPlan
import Testing
import TransferModel

@Suite("Run summary")
struct RunSummaryTests {
  @Test("counts, bytes, rate, and every failure with its hint")
  func whole() {
    var summary = RunSummary()
    var downloaded = ReportFixtures.downloaded
    downloaded.bytes = 3 << 20
    for entry in [downloaded, ReportFixtures.failed, ReportFixtures.unchanged] { summary.add(entry) }
    summary.add(ReportFixtures.listing, at: "gs://b/m/")
    #expect(
      summary.text(elapsed: .milliseconds(2_000), reportPath: "out/report.json") == """
        Done: 0 downloaded, 1 updated, 0 deleted, 1 unchanged, 1 failed.
        3.0 MiB received in 2.0 s (1.5 MiB/s), 1.0 KiB kept from earlier runs.
        1 compared by date, size or nothing better.
        2 failed:
          gone: There is no object gs://b/gone. [not_found]
            hint: Check the name.
          gs://b/m/: gs://b/m/ could not be listed. [listing_failed]

        """)
  }

  @Test("ten failures are shown, the others are in the report")
  func many() {
    var summary = RunSummary()
    for _ in 0..<1_012 { summary.add(ReportFixtures.failed) }
    let text = summary.text(elapsed: .seconds(1), reportPath: "r.json")
    #expect(text.split(separator: "\n").count == 1 + 1 + 20 + 1)
    #expect(text.contains("1,012 failed:\n"))
    #expect(text.hasSuffix("  and 1,002 more, see r.json\n"))
    #expect(summary.text(elapsed: .seconds(1)).hasSuffix("  and 1,002 more\n"))
  }

  @Test("P63: a run over nothing says so")
  func nothing() {
    #expect(RunSummary().text(elapsed: .zero) == "Done: 0 items, nothing to do.\n")
  }

  @Test("a run of no length has no rate", arguments: [Duration.zero, .milliseconds(99)])
  func noRate(elapsed: Duration) {
    var summary = RunSummary()
    summary.add(ReportFixtures.downloaded)
    #expect(!summary.text(elapsed: elapsed).contains("/s"))
  }

  @Test("P71: names are escaped")
  func escaped() {
    var summary = RunSummary()
    var entry = ReportFixtures.failed
    entry.destination = "a\u{1B}[2J"
    summary.add(entry)
    #expect(summary.text(elapsed: .zero).contains("  a\\u{1B}[2J: "))
  }

  @Test("thousands are set apart", arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
  func grouped(count: Int, text: String) {
    #expect(TerminalText.grouped(count) == text)
  }
}
