// How many transfers run at the same time.

import MirrorPlan
import Testing
import TransferModel

@Suite("Parallelism")
struct ParallelismTests {
  struct Row: Sendable {
    var jobs: Int?
    var perHost: Int?
    var mebibytes: Int64 = 256
    var wanted: Int?
    var bound = 1_000
    var transfers: ClosedRange<Int>
    var connections: ClosedRange<Int>
    var isChosen = false
  }

  @Test(
    "what was asked for is kept, what was not is chosen",
    arguments: [
      Row(transfers: 32...128, connections: 16...128, isChosen: true),
      Row(mebibytes: 64, transfers: 32...64, connections: 16...64, isChosen: true),
      Row(mebibytes: 8, transfers: 8...8, connections: 8...8, isChosen: true),
      Row(bound: 50, transfers: 32...50, connections: 16...50, isChosen: true),
      Row(bound: 0, transfers: 1...1, connections: 1...1, isChosen: true),
      Row(jobs: 4, transfers: 4...4, connections: 4...4, isChosen: true),
      Row(jobs: 64, transfers: 64...64, connections: 16...64, isChosen: true),
      Row(jobs: 1_000, transfers: 256...256, connections: 16...128, isChosen: true),
      Row(jobs: 64, wanted: 8, transfers: 8...8, connections: 8...8, isChosen: true),
      Row(wanted: 1_000, bound: 100, transfers: 100...100, connections: 16...100, isChosen: true),
      Row(perHost: 8, transfers: 32...32, connections: 8...8),
      Row(perHost: 300, transfers: 32...32, connections: 300...300),
      Row(jobs: 64, perHost: 16, transfers: 64...64, connections: 16...16),
      Row(jobs: 64, perHost: 16, mebibytes: 0, transfers: 1...1, connections: 16...16),
    ])
  func parallelism(row: Row) {
    let limits = Limits(jobs: row.jobs, perHost: row.perHost, memory: ByteCount(row.mebibytes << 20))
    let found = Parallelism(limits, wanted: row.wanted, bound: row.bound)
    #expect(found.transfers == row.transfers)
    #expect(found.perHost == row.connections)
    #expect(found.isChosen == row.isChosen)
  }
}
