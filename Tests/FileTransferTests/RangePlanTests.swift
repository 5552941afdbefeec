// Who fetches what: the missing bytes are shared out without gap or overlap.

import FileTransfer
import TestSupport
import Testing

@Suite("The plan of ranges")
struct RangePlanTests {
  typealias Piece = RangePlan.Piece

  @Test(
    "holes are what is not held",
    arguments: [
      ([], [0..<100]), ([0..<100], []), ([0..<10], [10..<100]), ([0..<10, 20..<30], [10..<20, 30..<100]),
      ([0..<10, 90..<100], [10..<90]), ([0..<10, 90..<200], [10..<90]),
    ] as [([Range<Int64>], [Range<Int64>])])
  func holes(held: [Range<Int64>], holes: [Range<Int64>]) {
    let plan = RangePlan(total: 100, held: held)
    #expect(plan.holes == holes)
    #expect(plan.held + plan.missing == 100)
  }

  @Test("a share is the first hole, else half of the longest piece") func shares() {
    var plan = RangePlan(total: 1_000, held: [0..<100, 200..<300])
    #expect(plan.takeFirstHole(for: 0) == Piece(next: 100, end: 200))
    #expect(plan.takeShare(for: 1, minimum: 1) == Piece(next: 300, end: 1_000))
    #expect(plan.takeShare(for: 2, minimum: 1) == Piece(next: 650, end: 1_000))
    #expect(plan[1] == Piece(next: 300, end: 650))
    #expect(plan.missing == 800)
  }

  @Test("no piece is cut below the minimum") func minimum() {
    var plan = RangePlan(total: 100, held: [])
    _ = plan.takeFirstHole(for: 0)
    #expect(plan.takeShare(for: 1, minimum: 51) == nil)
    #expect(plan.takeShare(for: 1, minimum: 50) == Piece(next: 50, end: 100))
  }

  @Test("long pieces are cut at a page") func pages() {
    var plan = RangePlan(total: 1_000_000, held: [0..<1])
    _ = plan.takeFirstHole(for: 0)
    #expect(plan.takeShare(for: 1, minimum: 1)?.next == 499_712)
  }

  @Test("what a stream leaves is a hole again, joined with its neighbours") func ends() {
    var plan = RangePlan(total: 100, held: [])
    _ = plan.takeFirstHole(for: 0)
    _ = plan.takeShare(for: 1, minimum: 1)
    _ = plan.takeShare(for: 2, minimum: 1)
    plan.advance(0, by: 25)
    plan.advance(1, by: 50)
    for stream in 0...2 { plan.end(stream) }
    #expect(plan.holes == [25..<50])
    #expect(plan.missing == 25)
  }

  @Test("whatever the streams do, every byte is given out once", arguments: [1, 2, 3, 4, 5] as [UInt64])
  func everyByteOnce(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let total = 40_000
    var plan = RangePlan(total: Int64(total), held: [])
    var writes = [Int](repeating: 0, count: total)
    var stream = 0
    for _ in 0..<100_000 where plan.missing > 0 {
      let running = plan.streams
      switch random.next() % 8 {
      case 0:
        stream += 1
        _ = plan.takeShare(for: stream, minimum: 10)
      case 1 where !running.isEmpty:
        plan.end(running[Int(random.next() % UInt64(running.count))])
      default:
        guard !running.isEmpty else { continue }
        let one = running[Int(random.next() % UInt64(running.count))]
        guard let piece = plan[one], piece.remaining > 0 else {
          plan.end(one)
          continue
        }
        let count = min(piece.remaining, Int64(random.next() % 200 + 1))
        for place in piece.next..<piece.next + count { writes[Int(place)] += 1 }
        plan.advance(one, by: count)
      }
    }
    #expect(plan.missing == 0)
    #expect(writes.allSatisfy { $0 == 1 })
  }
}
