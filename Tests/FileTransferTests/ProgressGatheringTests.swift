import Testing

@testable import FileTransfer

@Suite("Progress: pieces that follow each other closely are told of together")
struct ProgressGatheringTests {
  private static let full = ProgressGathering.fullPiece

  /// Pieces, and what each of them has told.
  @Test(
    arguments: [
      // A slow link: whatever comes is told at once.
      ([1, 0, 1_400, full - 1], [1, 0, 1_400, full - 1]),
      // Cut from what had come: told with the last and smaller piece,
      ([full, full, 100, 7], [0, 0, 2 * full + 100, 7]),
      // and in any case when it is much.
      (Array(repeating: full, count: 17), Array(repeating: 0, count: 15) + [16 * full, 0]),
      ([1 << 20, full], [1 << 20, 0]),
    ] as [([Int], [Int])])
  func pieces(_ pieces: [Int], told: [Int]) {
    var gathering = ProgressGathering()
    #expect(pieces.map { gathering.add($0) } == told.map { Int64($0) })
  }

  @Test("at the end nothing is left untold")
  func rest() {
    var gathering = ProgressGathering()
    #expect(gathering.takeRest() == 0)
    #expect(gathering.add(Self.full) == 0)
    #expect(gathering.takeRest() == Int64(Self.full))
    #expect(gathering.takeRest() == 0)
  }
}
