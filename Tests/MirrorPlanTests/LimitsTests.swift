// How many transfers run at the same time.

import MirrorPlan
import Testing
import TransferModel

@Suite("Limits")
struct LimitsTests {
  @Test(
    "transfers are those wanted, as far as memory allows",
    arguments: [
      (32, 256, nil, 32), (32, 256, 8, 8), (32, 256, 1_000, 256), (32, 8, nil, 8), (32, 0, nil, 1), (1, 256, nil, 1),
    ] as [(Int, Int64, Int?, Int)])
  func transfers(jobs: Int, mebibytes: Int64, wanted: Int?, expected: Int) {
    #expect(Limits(jobs: jobs, memory: ByteCount(mebibytes << 20)).transfers(wanted: wanted) == expected)
  }
}
