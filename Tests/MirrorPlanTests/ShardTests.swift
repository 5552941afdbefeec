// Which shard a destination belongs to, and which shard a process is.

import MirrorPlan
import Testing
import TransferModel

@Suite struct ShardTests {
  @Test(
    "what is written as a shard",
    arguments: [
      ("1/1", "1/1"), ("3/8", "3/8"), ("8/8", "8/8"), ("4096/4096", "4096/4096"), ("0/8", nil), ("9/8", nil),
      ("1/0", nil), ("1/4097", nil), ("03/8", nil), ("+3/8", nil), ("-1/8", nil), ("3", nil), ("3/8/1", nil),
      ("/8", nil), ("3/", nil), ("", nil), ("3 / 8", nil), ("99999999999999999999/99999999999999999999", nil),
    ] as [(String, String?)])
  func parsing(text: String, shard: String?) {
    #expect(Shard(parsing: text)?.description == shard)
  }

  /// Promised to other versions: these do not change.
  @Test(
    "a destination belongs to the same shard for ever",
    arguments: [
      ("", 8, 4), ("a", 8, 5), ("m/000", 8, 3), ("m/001", 8, 6), ("m/002", 8, 3), ("images/stars.jpg", 8, 3),
      ("ünïcode/日本", 8, 7), ("images/stars.jpg", 3, 3), ("images/stars.jpg", 1, 1), ("m/000", 4_096, 3_559),
    ])
  func fixed(destination: String, count: Int, index: Int) {
    #expect(Shard.index(of: destination.utf8, among: count) == index)
  }

  @Test("shards are of about the same size, also for names that hardly differ", arguments: [2, 3, 8, 31])
  func even(count: Int) {
    var sizes = [Int](repeating: 0, count: count)
    for number in 0..<20_000 { sizes[Shard.index(of: "f\(number)".utf8, among: count) - 1] += 1 }
    let mean = 20_000 / Double(count)
    // Five standard deviations.
    let allowed = 5 * mean.squareRoot()
    #expect(sizes.allSatisfy { abs(Double($0) - mean) < allowed }, "\(sizes)")
  }

  @Test("one shard more takes from all the others, and moves nothing between them")
  func growing() {
    var moved = 0
    for number in 0..<9_000 {
      let (before, after) = (
        Shard.index(of: "d/\(number).bin".utf8, among: 8), Shard.index(of: "d/\(number).bin".utf8, among: 9)
      )
      if before == after { continue }
      #expect(after == 9)
      moved += 1
    }
    #expect((800...1_200).contains(moved), "\(moved)")
  }

  @Test("every destination is one shard's, and no other's")
  func partition() throws {
    let shards = try (1...5).map { try #require(Shard($0, of: 5)) }
    for number in 0..<500 {
      let path = try RelativePath("f/\(number)")
      #expect(shards.count { $0.owns(path) } == 1)
    }
  }

  @Test(
    "a shard's own documents",
    arguments: [
      ("report.json", "report.3-of-8.json"), ("out/r.tar.gz", "out/r.tar.3-of-8.gz"),
      ("a.b/report", "a.b/report.3-of-8"), (".hidden", ".hidden.3-of-8"), ("x/.hidden", "x/.hidden.3-of-8"),
      ("/tmp/metrics.prom", "/tmp/metrics.3-of-8.prom"),
    ])
  func ownPath(path: String, own: String) throws {
    #expect(try #require(Shard(3, of: 8)).ownPath(path) == own)
  }

  @Test("a plan's work, by shards")
  func totals() throws {
    var totals = ShardTotals(count: 3)
    let row = PlannedEntry(
      destination: "images/stars.jpg", action: .download, size: ByteCount(2_048), reason: .new, source: "gs://b/x")
    totals.add(row)
    var other = row
    (other.destination, other.action) = ("images/moon.jpg", .skip)
    totals.add(other)
    var gone = row
    gone.action = .delete
    totals.add(gone)
    let lines = totals.text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[2].hasSuffix("1 to fetch, 2.0 KiB"), "\(totals.text)")
    #expect(lines.last == "all: 2 entries, 1 to fetch, 2.0 KiB")
    let json = try JSONValue(parsing: totals.json)
    #expect(json["schema"]?.string == "mirror.shards/1" && json["shards"]?.array?.count == 3)
    #expect(json["all"]?["bytes"] == .number(JSONNumber(2_048)))
  }
}

@Suite struct ShardVariablesTests {
  private static let slurm = [
    "SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "4",
    "SLURM_ARRAY_TASK_STEP": "1",
  ]

  @Test(
    "each engine's variables name the shard",
    arguments: [
      (["JOB_COMPLETION_INDEX": "0"], 8, "1/8"), (["JOB_COMPLETION_INDEX": "7"], 8, "8/8"), (slurm, nil, "3/4"),
      (["CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "2"], nil, "1/2"),
      (["AWS_BATCH_JOB_ARRAY_INDEX": "1", "AWS_BATCH_JOB_ARRAY_SIZE": "2"], nil, "2/2"),
      (["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"], nil, "1/3"),
      (["CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "3"], nil, "3/3"),
      (["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "5"], nil, "1/5"),
      (["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3", "CIRCLE_NODE_INDEX": ""], nil, "2/3"),
    ] as [([String: String], Int?, String)])
  func named(variables: [String: String], count: Int?, shard: String) throws {
    #expect(try ShardVariables.shard(count: count) { variables[$0] }.description == shard)
  }

  @Test(
    "what names none says why",
    arguments: [
      ([:], nil, "no variable says which shard this is"),
      (["JOB_COMPLETION_INDEX": "0"], nil, "JOB_COMPLETION_INDEX does not say how many there are"),
      (["JOB_COMPLETION_INDEX": "8"], 8, "JOB_COMPLETION_INDEX names number 9 of 8"),
      (["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "3"], nil, "CI_NODE_INDEX names number 0 of 3"),
      (["CI_NODE_INDEX": "1"], nil, "CI_NODE_INDEX is set and CI_NODE_TOTAL is not"),
      (["CI_NODE_INDEX": "one", "CI_NODE_TOTAL": "3"], nil, "CI_NODE_INDEX is no number: one"),
      (
        ["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3", "CIRCLE_NODE_INDEX": "0"], nil,
        "both CI_NODE_INDEX and CIRCLE_NODE_INDEX say which shard this is"
      ),
      (slurm.merging(["SLURM_ARRAY_TASK_STEP": "2"]) { $1 }, nil, "SLURM_ARRAY_TASK_STEP is 2"),
    ] as [([String: String], Int?, String)])
  func refused(variables: [String: String], count: Int?, message: String) {
    let problem = #expect(throws: ShardVariables.Problem.self) {
      try ShardVariables.shard(count: count) { variables[$0] }
    }
    #expect(problem?.message == message)
    #expect(problem?.hint.isEmpty == false)
  }
}
