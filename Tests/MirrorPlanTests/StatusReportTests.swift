// The history of runs, and what status and report make of it.

import MirrorPlan
import Testing
import TransferModel

@Suite("Status")
struct StatusReportTests {
  static func run(_ second: Int64, _ status: Int32?) -> PastRun {
    PastRun(
      id: "r\(second)", started: Timestamp(seconds: second), ended: status.map { _ in Timestamp(seconds: second + 1) },
      exitStatus: status)
  }

  struct Row: Sendable {
    var runs: [PastRun]
    var lastSuccess: String?
    var since: Int64?
    var failed: Int
  }

  @Test(
    "P82: failing since is the start of the first failure after the last success",
    arguments: [
      Row(runs: [], lastSuccess: nil, since: nil, failed: 0),
      Row(runs: [run(9, 0)], lastSuccess: "r9", since: nil, failed: 0),
      Row(runs: [run(9, 10), run(8, 3)], lastSuccess: "r9", since: nil, failed: 0),
      Row(runs: [run(9, 4), run(8, 3), run(7, 0), run(6, 3)], lastSuccess: "r7", since: 8, failed: 2),
      Row(runs: [run(9, 4), run(8, 3)], lastSuccess: nil, since: 8, failed: 2),
      Row(runs: [run(9, nil), run(8, 0)], lastSuccess: "r8", since: nil, failed: 0),
      Row(runs: [run(9, 3), run(8, nil), run(7, 0)], lastSuccess: "r7", since: 8, failed: 2),
    ])
  func history(_ row: Row) {
    let history = RunHistory(row.runs)
    #expect(history.last == row.runs.first)
    #expect(history.lastSuccess?.id == row.lastSuccess)
    #expect(history.failingSince?.seconds == row.since)
    #expect(history.failedRuns == row.failed)
  }

  @Test("the text says when, how long ago, and why")
  func text() {
    var report = StatusReport(
      root: "/r", now: Timestamp(seconds: 100_009),
      history: RunHistory([Self.run(9, 3)]), files: 1_234)
    report.add(.init(destination: "a", staleness: .neverFetched))
    report.failingCount = 1
    report.failing = [
      .init(place: "a", reason: .notFound, message: "gone", since: Timestamp(seconds: 9), runs: 2)
    ]
    #expect(
      report.text(verbose: false) == """
        root          /r: 1,234 files
        last run      1970-01-01T00:00:10Z (1d 3h ago), exit status 3 (finished; at least one item failed for good)
        last success  never
        failing       since 1970-01-01T00:00:09Z (1d 3h ago), 1 run
        stale         1 items
          a: never fetched
        failing now   1
          a: since 1970-01-01T00:00:09Z (1d 3h ago), 2 runs: gone [not_found]

        """)
    #expect(String(decoding: report.json, as: UTF8.self).contains(#""stale_count": 1"#))
    _ = try? ReportTests.parse(String(decoding: report.json, as: UTF8.self))
  }

  @Test("several reports add up, and every text of theirs is escaped in the page")
  func digest() throws {
    var digest = ReportDigest()
    var failed = ReportFixtures.failed
    failed.destination = "<script>alert('x')</script>"
    failed.failure?.message = "\"quoted\" & <b>bold</b>"
    let first = try ReportFixtures.document([ReportFixtures.downloaded, failed]).text
    let second = try ReportFixtures.document([ReportFixtures.unchanged], errors: []).text
    try digest.add(Array(first.utf8), named: "1.json")
    try digest.add(Array(second.utf8), named: "2.json")
    #expect(digest.runs.map(\.exit) == [3, 0])
    #expect(digest.totals.first { $0.word == "items" }?.count == 3)
    #expect(digest.totals.first { $0.word == "bytes" }?.count == 9_007_199_254_740_993)
    #expect(digest.reasons.map(\.word) == ["listing_failed", "not_found"])
    let text = digest.text(verbose: false)
    #expect(text.contains("exit status 3"))
    #expect(text.contains("not_found"))
    let page = digest.html
    #expect(!page.contains("<script") && !page.contains("<b>") && page.contains("&lt;script&gt;alert(&#39;x&#39;)"))
    #expect(page.contains("default-src 'none'"))
    #expect(page.hasSuffix("</html>\n"))
  }

  @Test("the sum as JSON, with the exit status of all as one run")
  func digestAsJSON() throws {
    var digest = ReportDigest()
    var run = ReportFixtures.run
    run.shard = nil
    let first = try ReportFixtures.document([ReportFixtures.downloaded, ReportFixtures.failed], run: run).text
    let second = try ReportFixtures.document([ReportFixtures.unchanged], run: run, errors: []).text
    try digest.add(Array(first.utf8), named: "1.json")
    try digest.add(Array(second.utf8), named: "2.json")
    let json = try JSONValue(parsing: digest.json)
    #expect(json["schema"]?.string == "mirror.summary/1")
    #expect(json["exit"] == .number(JSONNumber(3)))
    #expect(json["runs"]?.array?.map { $0["file"]?.string } == ["1.json", "2.json"])
    #expect(json["totals"]?["items"] == .number(JSONNumber(3)))
    #expect(json["reasons"]?["not_found"] == .number(JSONNumber(1)))
    #expect(json["failures"]?.array?.contains { $0["reason"]?.string == "not_found" } == true)
    #expect(json["missing_shards"]?.array?.isEmpty == true)
  }

  @Test("shards that no report is of are named")
  func missingShards() throws {
    var digest = ReportDigest()
    for shard in ["1/3", "3/3", "2/12"] {
      var run = ReportFixtures.run
      run.shard = shard
      let text = try ReportFixtures.document([ReportFixtures.unchanged], run: run, errors: []).text
      try digest.add(Array(text.utf8), named: "\(shard).json")
    }
    #expect(digest.hasFailures)
    #expect(digest.missingShards.map(\.description) == ["2/3", "1/12"] + (3...12).map { "\($0)/12" })
    let words = "no report of shard 2/3, 1/12, 3/12, 4/12, 5/12, 6/12, 7/12, 8/12, 9/12, 10/12 and 2 more"
    #expect(digest.text(verbose: false).contains(words))
    #expect(digest.html.contains(words))
    #expect(try JSONValue(parsing: digest.json)["missing_shards"]?.array?.count == 12)
    var run = ReportFixtures.run
    run.shard = nil
    let text = try ReportFixtures.document([ReportFixtures.unchanged], run: run, errors: []).text
    var whole = ReportDigest()
    try whole.add(Array(text.utf8), named: "x")
    #expect(whole.missingShards.isEmpty && !whole.hasFailures)
  }

  @Test("what is no report is refused, and adds nothing")
  func noReport() {
    var digest = ReportDigest()
    for text in ["", "{}", #"{"schema": "mirror.plan/1"}"#, #"{"schema": "mirror.report/1", "items": ["#] {
      #expect(throws: JSONError.self) { try digest.add(Array(text.utf8), named: "x") }
    }
    #expect(digest.runs.isEmpty && digest.totals.isEmpty)
  }
}
