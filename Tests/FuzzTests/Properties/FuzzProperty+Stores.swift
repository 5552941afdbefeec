// The state database with bytes that are not what SQLite wrote: it is a cache, so it is used or built anew.

import LocalFiles
import MirrorEngine
import MirrorPlan
import TestSupport
import TransferModel

extension FuzzProperty {
  static let stores: [FuzzProperty] = [state]

  private static func row(_ number: Int) throws -> StateRow {
    let digests = DigestSet([Digest(crc32c: UInt32(number))])
    return StateRow(
      destination: try RelativePath("models/\(number % 7)/file-\(number)"), tree: "models/",
      file: RecordedFile(
        source: "gs://bucket/\(number)",
        version: ObjectVersion(generation: Int64(number), etag: "\"\(number)\"", size: 5, digests: digests),
        stamp: LocalStamp(size: 5, modified: 1_700_000_000_123_456_789, inode: 42), digests: digests,
        proven: Timestamp(seconds: 1_767_225_600)))
  }

  /// A damaged state is used or built anew, and never ends the program.
  private static let state = FuzzProperty(
    "state",
    seeds: {
      let folder = try TemporaryDirectory(on: .memory)
      let location = StateLocation(root: folder.path)
      let first = try StateStore(location, access: .write)
      for number in 0..<300 { try first.record(try row(number)) }
      try first.flush()
      try first.close()
      return [try TemporaryDirectory.bytes(ofFile: location.file)]
    }
  ) { bytes in
    // A fresh folder, so that no companion of the last one is left.
    let place = try TemporaryDirectory(on: .memory)
    try place.write(bytes, to: ".mirror/state.db")
    let store = try StateStore(StateLocation(root: place.path), access: .write)
    do {
      var cursor = store.rows()
      while try cursor.nextRow() != nil {}
      _ = try store.row(for: try RelativePath("models/3/file-3"))
      try store.record(try row(1_000))
      try store.flush()
      _ = try store.parts()
    } catch let failure as TransferFailure {
      throw Mistreated("not made good: \(failure.message)")
    }
    try store.close()
    // A page whose keys are out of order passes for good, and a row in it may not be found: that costs a rehash.
    let again = try StateStore(StateLocation(root: place.path), access: .read)
    _ = try again.row(for: try RelativePath("models/6/file-1000"))
    try again.close()
  }
}
