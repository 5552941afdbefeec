// What a run makes of the room that it has: on the disk, and in open files.

import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct RoomTests {
  @Test(
    "P26: a run that cannot fit is refused, one that just fits is not",
    arguments: [
      (0, 0, 0, 0, true), (100, 1, 100, 1, true), (101, 1, 100, 1, false), (100, 2, 100, 1, false),
      (100, 2, 100, nil, true), (.max, 1, .max, nil, true),
    ] as [(bytes: Int64, files: Int64, free: Int64, inodes: Int64?, fits: Bool)])
  func space(_ row: (bytes: Int64, files: Int64, free: Int64, inodes: Int64?, fits: Bool)) {
    let failure = SpaceBudget.failure(
      bytes: row.bytes, files: row.files, free: row.free, freeInodes: row.inodes)
    #expect((failure == nil) == row.fits)
    #expect(failure.map { $0.reason == .diskFull && $0.stopsTheRun } ?? true)
  }

  @Test(
    "the limit of open files is shared out, and never more than there is",
    arguments: [(0, 1, 4), (32, 1, 4), (64, 9, 9), (256, 57, 57), (1_024, 249, 249), (65_536, 21_750, 256)])
  func openFiles(limit: Int, transfers: Int, directories: Int) {
    let files = OpenFiles(limit: limit)
    #expect(files.transfers == transfers)
    #expect(files.directories == directories)
    #expect(limit < 64 || 3 * files.transfers + files.directories < limit)
  }
}
