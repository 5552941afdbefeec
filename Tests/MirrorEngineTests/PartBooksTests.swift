// What the state says of a divided part: never more than the disk has, and nothing that was overtaken.

import FileTransfer
import Foundation
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Records of divided parts")
struct PartBooksTests {
  private let version = ObjectVersion(etag: "\"v1\"", size: 100)

  private func entry() throws -> Entry {
    Entry(
      Item(
        references: [.web(try HTTPURL(parsing: "http://a.example/x"))], destination: try RelativePath("x")))
  }

  private func books(_ state: StateStore) throws -> PartBooks {
    PartBooks(try entry(), state: state, clocks: PausedClocks(), threads: BlockingThreads(count: 1))
  }

  private struct PausedClocks: Clocks {
    func monotonic() -> MonotonicInstant { MonotonicInstant(sinceOrigin: .zero) }
    func utc() -> Timestamp { Timestamp(seconds: 1_700_000_000) }
    func random() -> Double { 0 }
  }

  @Test("a record is written after the sync, with its stretches") func written() throws {
    let root = try TemporaryDirectory(on: .memory)
    let state = try StateStore.open(root)
    let books = try books(state), destination = try RelativePath("x")
    let isEmptyAtSync = Lock(false)
    let isWritten = books.keepNow(version, [0..<10, 20..<30]) {
      let none = (try? state.part(for: destination)) ?? nil
      isEmptyAtSync.withLock { $0 = none == nil }
    }
    #expect(isWritten && isEmptyAtSync.withLock { $0 })
    let record = try #require(try state.part(for: destination))
    #expect(record.stretches == [0..<10, 20..<30])
    #expect(record.bytes == 20 && record.total == 100)
    books.forget()
    #expect(try state.part(for: destination) == nil)
  }

  @Test("what cannot be synced is not written") func syncFails() throws {
    let root = try TemporaryDirectory(on: .memory)
    let state = try StateStore.open(root)
    let isWritten = try books(state).keepNow(version, [0..<10]) { () throws(TransferFailure) in
      throw TransferFailure(.diskFull, .local, "no room")
    }
    #expect(!isWritten)
    #expect(try state.parts().isEmpty)
  }

  @Test("what was overtaken while it was synced is dropped", arguments: [true, false])
  func overtaken(byForgetting: Bool) async throws {
    let root = try TemporaryDirectory(on: .memory)
    let state = try StateStore.open(root)
    let books = try books(state)
    let isWritten = await withCheckedContinuation { continuation in
      books.keep(version, [0..<10, 20..<30]) {
        if byForgetting { books.forget() } else { books.end() }
      } done: {
        continuation.resume(returning: $0)
      }
    }
    #expect(!isWritten)
    #expect(try state.parts().isEmpty)
  }

  @Test("a version without a strong validator is not written") func weak() throws {
    let root = try TemporaryDirectory(on: .memory)
    let state = try StateStore.open(root)
    #expect(try !books(state).keepNow(ObjectVersion(etag: "W/\"v1\""), [0..<10]) {})
  }

  @Test(
    "stretches are read as they were written",
    arguments: [[], [0..<1], [0..<10, 20..<30], [5..<9_007_199_254_740_993]] as [[Range<Int64>]])
  func text(stretches: [Range<Int64>]) {
    #expect(StretchText.read(StretchText.write(stretches)) == stretches)
  }

  @Test(
    "what was never written is refused",
    arguments: [
      "x", "1", "1-", "-1", "3-3", "3-2", "0-5,4-6", "0-5,", "0-5-6", "0-99999999999999999999", "+0-1", "0-1 ",
    ])
  func nonsense(text: String) { #expect(StretchText.read(text) == nil) }
}
