// More streams where one leaves the link idle, and only there.

import FileTransfer
import Testing
import TransferModel

@Suite("The growth of streams")
struct StreamGrowthTests {
  private static let missing: Int64 = 1 << 30

  /// What ten samples a second of a link say; `rate` is told how many streams run.
  private func run(
    limit: Int = 4, seconds: Int, missing: Int64 = missing, busy: Double = 0, rate: (Int, Int) -> Double
  ) -> (levels: [Int], growth: StreamGrowth) {
    var growth = StreamGrowth(limit: limit)
    var levels: [Int] = []
    for tick in 0..<seconds * 10 {
      let verdict = growth.decide(
        StreamGrowth.Sample(
          elapsed: .milliseconds(100), bytes: Int64(rate(growth.level, tick) / 10),
          idle: .milliseconds(Int((1 - busy) * 100)),
          missing: missing))
      if case .grow(let level) = verdict { levels.append(level) }
    }
    return (levels, growth)
  }

  @Test(
    "what a link gives, and how many streams it gets",
    arguments: [
      // Each connection is limited.
      (4, [2, 4], 4), (3, [2, 3], 3), (8, [2, 4, 8], 8), (1, [], 1),
    ] as [(Int, [Int], Int)])
  func limitedConnections(limit: Int, levels: [Int], level: Int) {
    let run = run(limit: limit, seconds: 20) { streams, _ in Double(streams) * 2e6 }
    #expect(run.levels == levels)
    #expect(run.growth.level == level)
  }

  @Test("a link that one stream fills gets one more, which shows that it brings nothing, and then no other")
  func fullLink() {
    let run = run(seconds: 60) { _, _ in 12e6 }
    #expect(run.levels == [2])
    #expect(run.growth.level == 1)
  }

  @Test("a link that two streams fill keeps two") func twoFillIt() {
    let run = run(seconds: 60) { streams, _ in min(Double(streams) * 5e6, 10e6) }
    #expect(run.levels == [2, 4])
    #expect(run.growth.level == 2)
  }

  @Test("a thread that is busy is given no more to do") func busy() {
    #expect(run(seconds: 60, busy: 0.9) { streams, _ in Double(streams) * 2e6 }.levels == [])
  }

  @Test("what is over within a second is not divided") func nearlyDone() {
    #expect(run(seconds: 60, missing: 1_900_000) { _, _ in 2e6 }.levels == [])
  }

  @Test("a server that sends in bursts is taken for what it brings in the long run") func bursts() {
    let run = run(seconds: 20) { streams, tick in tick % 10 == 3 ? Double(streams) * 20e6 : 0 }
    #expect(run.levels == [2, 4])
    #expect(run.growth.level == 4)
  }

  @Test("the first sample does not count: a connection starts slowly") func slowStart() {
    var growth = StreamGrowth(limit: 4)
    let fast = StreamGrowth.Sample(
      elapsed: .milliseconds(100), bytes: 10_000_000, idle: .milliseconds(100), missing: Self.missing)
    #expect(growth.decide(fast) == .keep)
    #expect(growth.decide(fast) == .keep)
  }

  @Test("fewer streams than wanted are measured anew; an end is for good") func corrected() {
    var growth = run(seconds: 20) { streams, _ in Double(streams) * 2e6 }.growth
    growth.correct(to: 2)
    #expect(growth.level == 2)
    growth.end(at: 1)
    #expect(growth.level == 1)
    let sample = StreamGrowth.Sample(elapsed: .seconds(5), bytes: 10_000_000, idle: .seconds(5), missing: Self.missing)
    for _ in 0..<20 { #expect(growth.decide(sample) == .keep) }
  }
}
