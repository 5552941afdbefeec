import Testing
import TransferModel

@testable import CurlTransport

/// The rule by which the number of a host's exchanges is chosen.
@Suite struct HostPaceTests {
  private static let start = MonotonicInstant(sinceOrigin: .seconds(100))

  /// What a host's exchanges looked like for some time. By default: places taken, loop asleep.
  private static func sight(
    _ ended: Int, in elapsed: Duration = .milliseconds(250), asleep: Double = 0.9, bytes: Int64 = 0, full: Bool = true
  ) -> HostPace.Sight {
    HostPace.Sight(elapsed: elapsed, asleep: elapsed * asleep, ended: ended, bytes: bytes, isFull: full)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let sight: HostPace.Sight
    /// Whether the review came to an end, and what the host was given after it.
    let isDone: Bool
    let width: Int
    var testDescription: String { name }
  }

  /// Whose connections are made, so that the next sight counts.
  private static func settled(first: Int, most: Int) -> HostPace {
    var pace = HostPace(first: first, most: most)
    settle(&pace)
    return pace
  }

  private static func settle(_ pace: inout HostPace) { _ = pace.review(sight(pace.width), at: start) }

  /// From 8 to 16, settled, with the sight before it as the measure.
  private static func stepped() -> HostPace {
    var pace = settled(first: 8, most: 64)
    _ = pace.review(sight(100, bytes: 1_000), at: start)
    settle(&pace)
    return pace
  }

  @Test(arguments: [
    Row(name: "latency alone limits: doubled", sight: sight(100), isDone: true, width: 16),
    Row(name: "too early", sight: sight(100, in: .milliseconds(49)), isDone: false, width: 8),
    Row(name: "too few to tell", sight: sight(15), isDone: false, width: 8),
    Row(name: "just enough to tell", sight: sight(16), isDone: true, width: 16),
    Row(name: "few, but after two seconds", sight: sight(2, in: .seconds(2)), isDone: true, width: 16),
    Row(name: "nothing came", sight: sight(0, in: .seconds(2)), isDone: true, width: 8),
    Row(name: "bytes alone tell as well", sight: sight(0, in: .seconds(2), bytes: 1 << 20), isDone: true, width: 16),
    Row(name: "the processor limits", sight: sight(100, asleep: 0.49), isDone: true, width: 8),
    Row(name: "half asleep is asleep", sight: sight(100, asleep: 0.5), isDone: true, width: 16),
    Row(name: "a place is empty", sight: sight(100, full: false), isDone: true, width: 8),
    Row(name: "a gap in the sight", sight: sight(100, in: .seconds(5)), isDone: true, width: 8),
  ])
  func `what the first review does with 8 places of at most 64`(row: Row) {
    var pace = Self.settled(first: 8, most: 64)
    let isDone = pace.review(row.sight, at: Self.start)
    #expect(isDone == row.isDone)
    #expect(pace.width == row.width)
  }

  @Test(arguments: [
    Row(name: "twice as fast: doubled again", sight: sight(200), isDone: true, width: 32),
    Row(name: "more than a tenth faster: doubled again", sight: sight(111), isDone: true, width: 32),
    Row(name: "no faster: doubted", sight: sight(105), isDone: true, width: 16),
    Row(name: "more bytes pay as well", sight: sight(100, bytes: 2_000), isDone: true, width: 32),
    Row(name: "paid, but now the processor limits: stays", sight: sight(200, asleep: 0.3), isDone: true, width: 16),
    Row(name: "too few to judge it yet", sight: sight(31), isDone: false, width: 16),
    Row(name: "the work ran out: not judged", sight: sight(50, full: false), isDone: true, width: 16),
    Row(name: "a gap: not judged", sight: sight(50, in: .seconds(5)), isDone: true, width: 16),
  ])
  func `what the review after a step from 8 to 16 does`(row: Row) {
    var pace = Self.stepped()
    let isDone = pace.review(row.sight, at: Self.start)
    #expect(isDone == row.isDone)
    #expect(pace.width == row.width)
  }

  @Test(arguments: [
    Row(name: "twice as fast: doubled again", sight: sight(200), isDone: true, width: 32),
    Row(name: "no faster again: back", sight: sight(105), isDone: true, width: 8),
    Row(name: "slower: back", sight: sight(50), isDone: true, width: 8),
    Row(name: "the work ran out: not judged", sight: sight(50, full: false), isDone: true, width: 16),
  ])
  func `what the next review does with a step that is doubted`(row: Row) {
    var pace = Self.stepped()
    _ = pace.review(Self.sight(100), at: Self.start)
    let isDone = pace.review(row.sight, at: Self.start)
    #expect(isDone == row.isDone)
    #expect(pace.width == row.width)
  }

  @Test func `what ends while connections are made does not count`() {
    var pace = HostPace(first: 8, most: 64)
    let isDone = [7, 8].map { pace.review(Self.sight($0, in: .milliseconds(1)), at: Self.start) }
    #expect(isDone == [false, true])
    #expect(pace.width == 8)
    var slow = HostPace(first: 8, most: 64)
    let isSettled = slow.review(Self.sight(0, in: .seconds(2)), at: Self.start)
    #expect(isSettled)
  }

  @Test func `a step that does not pay is tried again after 1, 2, 4 and at most 32 seconds`() {
    var pace = Self.settled(first: 8, most: 64)
    var tried: [Int] = []
    for half in 0...300 {
      let (now, before) = (Self.start + .milliseconds(500 * half), pace.width)
      _ = pace.review(Self.sight(100), at: now)
      guard pace.width > before else { continue }
      tried.append(half)
      // Settled, doubted, taken back.
      for _ in 1...3 { _ = pace.review(Self.sight(100), at: now) }
    }
    #expect(tried == [0, 2, 6, 14, 30, 62, 126, 190, 254])
    #expect(pace.width == 8)
  }

  @Test func `no step goes beyond the most`() {
    var pace = Self.settled(first: 10, most: 25)
    var widths: [Int] = []
    for round in 1...4 {
      _ = pace.review(Self.sight(1_000 << round), at: Self.start)
      widths.append(pace.width)
      Self.settle(&pace)
    }
    #expect(widths == [20, 25, 25, 25])
  }

  @Test func `a complaint halves, down to one, and counts once a second`() {
    var pace = HostPace(first: 8, most: 64)
    var widths: [Int] = []
    for milliseconds in [0, 1, 999, 1_000, 1_500, 2_000, 3_000, 4_000] {
      pace.complain(at: Self.start + .milliseconds(milliseconds))
      widths.append(pace.width)
    }
    #expect(widths == [4, 4, 4, 2, 2, 1, 1, 1])
  }

  @Test func `after complaints a host comes back by steps of a second, and grows after thirty`() {
    var pace = Self.settled(first: 8, most: 64)
    pace.complain(at: Self.start)
    var changes: [String] = []
    for quarter in 1...120 {
      let before = pace.width
      _ = pace.review(Self.sight(1_000), at: Self.start + .milliseconds(250 * quarter))
      if pace.width != before { changes.append("\(Double(quarter) / 4) s: \(pace.width)") }
    }
    #expect(changes == ["1.0 s: 5", "2.0 s: 6", "3.0 s: 7", "4.0 s: 8", "30.0 s: 16"])
  }

  @Test func `a complaint about a step undoes it without further judgement`() {
    var pace = Self.settled(first: 8, most: 64)
    _ = pace.review(Self.sight(100), at: Self.start)
    pace.complain(at: Self.start + .milliseconds(100))
    #expect(pace.width == 8)
    _ = pace.review(Self.sight(50), at: Self.start + .milliseconds(250))
    #expect(pace.width == 8)
  }

  @Test func `a host of HTTP 2 starts with twice as many, once`() {
    var pace = HostPace(first: 8, most: 64)
    pace.share()
    #expect(pace.width == 16)
    pace.complain(at: Self.start)
    pace.share()
    #expect(pace.width == 8)
  }

  /// A server in virtual time: each exchange takes `latency`, and no more than `capacity` a second are served.
  @Test(arguments: [
    (latency: 40, capacity: 100_000.0, least: 64, most: 64), (latency: 300, capacity: 100_000.0, least: 64, most: 64),
    (latency: 40, capacity: 200.0, least: 8, most: 8), (latency: 40, capacity: 420.0, least: 16, most: 16),
  ])
  func `ten seconds of a server end where no more is to be had`(
    latency: Int, capacity: Double, least: Int, most: Int
  ) {
    var pace = HostPace(first: 8, most: 64)
    var since = Duration.zero
    var ended = 0.0
    for tick in 1...195 as ClosedRange<Int> {
      let now = Duration.milliseconds(50 * tick)
      ended += min(Double(pace.width) * 1_000 / Double(latency), capacity) / 20
      let sight = Self.sight(Int(ended), in: now - since)
      guard pace.review(sight, at: Self.start + now) else { continue }
      (since, ended) = (now, 0)
    }
    #expect((least...most).contains(pace.width), "\(pace.width)")
  }
}
