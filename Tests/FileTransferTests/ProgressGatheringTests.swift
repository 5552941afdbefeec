import Testing
import TransferModel

@testable import FileTransfer

@Suite("Progress: pieces that follow each other closely are told of together")
struct ProgressGatheringTests {
  private static let full = ProgressGathering.fullPiece

  /// Pieces with their times in milliseconds, and what each of them has told.
  @Test(
    arguments: [
      // A slow link: whatever comes is told at once.
      ([(0, 1), (0, 0), (1, 1_400), (1, full - 1)], [1, 0, 1_400, full - 1]),
      // Cut from what had come: told with the last and smaller piece,
      ([(0, full), (0, full), (0, 100), (0, 7)], [0, 0, 2 * full + 100, 7]),
      // and in any case when it is much
      (Array(repeating: (0, full), count: 17), Array(repeating: 0, count: 15) + [16 * full, 0]),
      ([(0, 1 << 20), (0, full)], [1 << 20, 0]),
      // or a while ago that something was told.
      ([(0, full), (99, full), (100, full), (150, full), (199, full), (200, full)], [0, 0, 3 * full, 0, 0, 3 * full]),
      ([(90, 1), (100, full), (190, full)], [1, 0, 2 * full]),
    ] as [([(Int, Int)], [Int])])
  func pieces(_ pieces: [(at: Int, count: Int)], told: [Int]) {
    let start = MonotonicInstant(sinceOrigin: .seconds(5))
    var gathering = ProgressGathering(start: start)
    #expect(pieces.map { gathering.add($0.count, now: start + .milliseconds($0.at)) } == told.map { Int64($0) })
  }

  @Test("at the end nothing is left untold")
  func rest() {
    let start = MonotonicInstant(sinceOrigin: .zero)
    var gathering = ProgressGathering(start: start)
    #expect(gathering.takeRest() == 0)
    #expect(gathering.add(Self.full, now: start) == 0)
    #expect(gathering.takeRest() == Int64(Self.full))
    #expect(gathering.takeRest() == 0)
  }
}
