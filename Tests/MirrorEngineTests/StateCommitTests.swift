// When rows reach the disk, and what happens when they cannot.

import Foundation
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("State: commits")
struct StateCommitTests {
  let root: TemporaryDirectory

  init() throws { root = try TemporaryDirectory(on: .memory) }

  @Test("rows are committed by the batch, and the tree is synced before each commit")
  func batches() throws {
    let committedAtSync = Lock<[Int64]>([])
    let reader = Lock<StateStore?>(nil)
    let store = try StateStore.open(root, batchSize: 10) { () throws(TransferFailure) in
      let count = try reader.withLock { $0 }?.rowCount() ?? -1
      committedAtSync.withLock { $0.append(count) }
    }
    let other = try StateStore.open(root, access: .read)
    reader.withLock { $0 = other }
    for index in 0..<25 { try store.record(.sample("f\(index)")) }
    #expect(try other.rowCount() == 20)
    try store.flush()
    #expect(try other.rowCount() == 25)
    try store.flush()
    // At each sync only the batches before it were on the disk; an empty flush syncs nothing.
    #expect(committedAtSync.withLock { $0 } == [0, 10, 20])
  }

  @Test("when the sync fails nothing is committed, the failure is passed on, and the rows wait")
  func syncFails() throws {
    let isBroken = Lock(true)
    let failure = TransferFailure(.diskFull, .local, "syncfs: no space")
    let store = try StateStore.open(root, batchSize: 2) { () throws(TransferFailure) in
      if isBroken.withLock({ $0 }) { throw failure }
    }
    try store.record(.sample("a"))
    #expect(throws: failure) { try store.record(.sample("b")) }
    // Not for every row again: the next try by itself is a batch away.
    try store.record(.sample("c"))
    #expect(throws: failure) { try store.flush() }
    #expect(try store.rowCount() == 0)
    #expect(try store.row(for: RelativePath("a")) != nil)
    isBroken.withLock { $0 = false }
    try store.flush()
    #expect(try store.rowCount() == 3)
  }

  @Test("a full disk is a local failure, and the old rows stay")
  func diskFull() throws {
    let store = try StateStore.open(root, batchSize: 10_000)
    try store.record(.sample("old"))
    try store.flush()
    let pages = try store.read(orElse: 0) { database throws(SQLiteError) in
      try database.connection.integer("PRAGMA page_count") ?? 0
    }
    try store.write { database throws(SQLiteError) in
      try database.connection.execute("PRAGMA max_page_count = \(pages)")
    }
    for index in 0..<2_000 { try store.record(.sample("new\(index)")) }
    let error = #expect(throws: TransferFailure.self) { try store.flush() }
    #expect(error?.reason == .diskFull)
    #expect(error?.failureClass == .local)
    #expect(try store.rowCount() == 1)
    try store.write { database throws(SQLiteError) in
      try database.connection.execute("PRAGMA max_page_count = 1000000")
    }
    try store.flush()
    #expect(try store.rowCount() == 2_001)
  }

  @Test("P52: after a kill the flushed rows are there, and only those")
  func killed() throws {
    let store = try StateStore.open(root)
    try store.record(.sample("flushed"))
    try store.flush()
    try store.record(.sample("waiting"))
    // What a killed process leaves is what is in its files now: the database and its log.
    let copy = try TemporaryDirectory(on: .memory)
    for (path, bytes) in try root.files() where !path.hasSuffix("-shm") { try copy.write(bytes, to: path) }
    let log = NoticeLog()
    let reopened = try StateStore.open(copy, log: log)
    #expect(try reopened.allRows().map(\.destination.text) == ["flushed"])
    #expect(log.notices.isEmpty)
  }

  @Test("a store that goes away without a flush loses what waited and nothing else")
  func dropped() throws {
    do {
      let store = try StateStore.open(root)
      try store.record(.sample("flushed"))
      try store.flush()
      try store.record(.sample("waiting"))
    }
    #expect(try StateStore.open(root).allRows().map(\.destination.text) == ["flushed"])
  }

  @Test("closing leaves one file, and a closed store refuses to write")
  func closing() throws {
    let store = try StateStore.open(root)
    try store.record(.sample("a"))
    try store.close()
    #expect(try root.tree(below: ".mirror").map(\.path) == [".mirror/state.db"])
    try store.record(.sample("b"))
    #expect(throws: TransferFailure.self) { try store.flush() }
  }

  @Test("a reader sees whole batches while another process's connection writes")
  func readWhileWriting() async throws {
    let store = try StateStore.open(root, batchSize: 100)
    let reader = try StateStore.open(root, access: .read)
    async let written: Void = onOwnThread { for index in 0..<5_000 { try store.record(.sample("f\(index)")) } }
    let counts = try await onOwnThread { () throws -> [Int64] in
      var counts: [Int64] = []
      while counts.last != 5_000 { counts.append(try reader.rowCount()) }
      return counts
    }
    try await written
    #expect(counts.allSatisfy { $0 % 100 == 0 })
    #expect(counts == counts.sorted())
    #expect(try reader.allRows().count == 5_000)
  }

  @Test("many threads may record, and each destination ends with its last row")
  func manyWriters() async throws {
    let store = try StateStore.open(root, batchSize: 64)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          try await onOwnThread {
            for generation in 0..<500 {
              try store.record(.sample("w\(writer)/f\(generation % 50)", generation: Int64(generation)))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try store.flush()
    let rows = try store.allRows()
    #expect(rows.count == 400)
    #expect(rows.allSatisfy { ($0.file.version.generation ?? 0) >= 450 })
  }

  @Test("P92: shards on one root have a state each")
  func shards() throws {
    let first = try StateStore(StateLocation(root: root.path, name: "state-0of2"), access: .write)
    let second = try StateStore(StateLocation(root: root.path, name: "state-1of2"), access: .write)
    try first.record(.sample("a"))
    try second.record(.sample("b"))
    try first.flush()
    try second.flush()
    #expect(try first.allRows().map(\.destination.text) == ["a"])
    #expect(try second.allRows().map(\.destination.text) == ["b"])
  }
}
