// Rows and stores for the tests of the state.

import MirrorPlan
import TestSupport
import TransferModel

@testable import MirrorEngine

/// Collects what a store says, from any thread.
final class NoticeLog: Sendable {
  private let lines = Lock<[StateNotice]>([])
  func add(_ notice: StateNotice) { lines.withLock { $0.append(notice) } }
  var notices: [StateNotice] { lines.withLock { $0 } }
}

extension StateStore {
  /// A store that says nothing but to `log`.
  static func open(
    _ root: TemporaryDirectory, access: StateAccess = .write, batchSize: Int = 1_000, log: NoticeLog? = nil,
    beforeCommit: @escaping @Sendable () throws(TransferFailure) -> Void = {}
  ) throws -> StateStore {
    var options = StateStore.Options()
    options.batchSize = batchSize
    options.beforeCommit = beforeCommit
    if let log { options.notify = { log.add($0) } }
    return try StateStore(StateLocation(root: root.path), access: access, options: options)
  }

  /// All committed rows, through the cursor.
  func allRows(withPrefix prefix: String = "") throws -> [StateRow] {
    var cursor = rows(withPrefix: prefix)
    var result: [StateRow] = []
    while let row = try cursor.nextRow() { result.append(row) }
    return result
  }
}

extension StateRow {
  /// A row as a download from a bucket leaves it: the digests on the disk are those of the object.
  static func sample(_ path: String, generation: Int64 = 1) throws -> StateRow {
    let digests = DigestSet([Digest(crc32c: UInt32(truncatingIfNeeded: generation))])
    return StateRow(
      destination: try RelativePath(path), tree: "models/",
      file: RecordedFile(
        source: "gs://bucket/\(path)",
        version: ObjectVersion(generation: generation, etag: "\"\(generation)\"", size: 5, digests: digests),
        stamp: LocalStamp(size: 5, modified: 1_700_000_000_123_456_789, inode: 42), digests: digests,
        proven: Timestamp(seconds: 1_767_225_600)))
  }
}

extension Digest {
  /// A digest whose bytes are all the same.
  static func filled(_ algorithm: DigestAlgorithm, with byte: UInt8) -> Digest? {
    Digest(algorithm, bytes: [UInt8](repeating: byte, count: algorithm.byteCount))
  }
}
