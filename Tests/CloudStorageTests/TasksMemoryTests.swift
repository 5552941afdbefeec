// Rows H: the cap of downloads into memory.

import Foundation
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

@Suite("Downloads into memory", .timeLimit(.minutes(2)))
struct TasksMemoryTests {
  /// Everything that came of one download.
  private struct Outcome: Sendable {
    var data: Data?
    var error: StorageError?
    var completions = 0
    var events: [CourseRecorder.Event] = []
  }

  private func get(_ bench: TasksBench, maxSize: Int64, _ name: String = "a") async throws -> Outcome {
    let outcome = Lock(Outcome())
    let task = bench.storage.reference(withPath: name).memoryTask(maxSize: maxSize)
    task.whenEnded(on: .callbacks) { result in
      outcome.withLock { outcome in
        if case .success(let data) = result { outcome.data = data }
        if case .failure(let error) = result { outcome.error = error }
        outcome.completions += 1
      }
    }
    let (_, recorder) = bench.follow(task)
    try await recorder.waitForEnd()
    try await waitUntil("the completion") { () async -> Bool in outcome.withLock { $0.completions } > 0 }
    try await Task.sleep(for: .milliseconds(5))
    return outcome.withLock { outcome in
      outcome.events = recorder.events
      return outcome
    }
  }

  @Test("H01: exactly the limit is fine")
  func exact() async throws {
    let outcome = try await get(TasksBench(), maxSize: 11)
    #expect(outcome.data == Data(TasksBench.text) && outcome.error == nil)
  }

  @Test("H02 H08 H10: more than the limit, declared")
  func declared() async throws {
    let outcome = try await get(TasksBench(), maxSize: 10)
    #expect(outcome.data == nil && outcome.completions == 1)
    #expect(outcome.error == .downloadSizeExceeded(total: 11, maxSize: 10))
    let error = try #require(outcome.error.map { $0 as NSError })
    #expect(error.domain == "FIRStorageErrorDomain" && error.code == -13032)
    #expect(error.userInfo["totalSize"] as? Int64 == 11 && error.userInfo["maxAllowedSize"] as? Int64 == 10)
    #expect(
      error.localizedDescription
        == "Attempted to download object with size of 11 bytes, which exceeds the maximum size of 10 bytes. Consider "
        + "raising the maximum download maxSize, or using StorageReference.write")
    #expect(outcome.events.map(\.status) == [.resume, .progress, .failure])
    #expect(outcome.events.last?.code == -13032)
  }

  @Test("H03: more than the limit, without a length")
  func undeclared() async throws {
    let faults = "on bucket/** => chunked; remove-header x-goog-stored-content-length"
    let outcome = try await get(TasksBench(faults), maxSize: 10)
    #expect(outcome.data == nil)
    #expect(outcome.error == .downloadSizeExceeded(total: 11, maxSize: 10))
  }

  @Test("H04 H05: nothing at all, and one byte too much")
  func zero() async throws {
    let bench = try TasksBench()
    bench.server.objects.put("bucket", "empty", [])
    bench.server.objects.put("bucket", "one", [1])
    let empty = try await get(bench, maxSize: 0, "empty")
    #expect(empty.data == Data() && empty.error == nil)
    #expect(try await get(bench, maxSize: 0, "one").error == .downloadSizeExceeded(total: 1, maxSize: 0))
  }

  @Test("H06: a negative limit sends nothing")
  func negative() async throws {
    let bench = try TasksBench()
    let outcome = try await get(bench, maxSize: -1)
    #expect(outcome.error?.code == .invalidArgument && outcome.completions == 1)
    #expect(bench.server.log.isEmpty)
    #expect(outcome.events.last?.code == -13050)
  }

  @Test("H07: the largest limit costs nothing")
  func largest() async throws {
    // To set so much memory aside would end the process.
    let outcome = try await get(TasksBench(), maxSize: .max)
    #expect(outcome.data == Data(TasksBench.text))
  }

  @Test("H07: nor does a length that the server makes up")
  func madeUpLength() async throws {
    let bench = try TasksBench("on bucket/a => content-length 4611686018427387904; cut 11; range ignore")
    bench.storage.maxDownloadRetryTime = 0
    let outcome = try await get(bench, maxSize: .max)
    #expect(outcome.data == nil && outcome.error != nil)
  }

  @Test("H09: a large error page is still an error page")
  func errorBody() async throws {
    let bench = try TasksBench("on bucket/a => status 404 body bytes 5000")
    let outcome = try await get(bench, maxSize: 10)
    #expect(outcome.error?.code == .objectNotFound)
  }

  @Test("K9 of the known bugs: never both data and error, whenever the limit is met", arguments: 0..<20)
  func oneOutcome(size: Int) async throws {
    let bench = try TasksBench("on bucket/a => chunked; throttle 1MB/s")
    bench.server.objects.put("bucket", "a", [UInt8](repeating: 7, count: size))
    let outcome = try await get(bench, maxSize: 10)
    #expect(outcome.completions == 1)
    #expect((outcome.data == nil) == (size > 10) && (outcome.error == nil) == (size <= 10))
  }

  @Test("one mebibyte of an object of a gibibyte: no more than that is read", arguments: [true, false])
  func cappedHuge(isDeclared: Bool) async throws {
    let bench = try TasksBench(
      isDeclared ? "" : "on bucket/huge => chunked; remove-header x-goog-stored-content-length")
    bench.server.objects.put("bucket", "huge", patternOf: 1 << 30)
    let outcome = try await get(bench, maxSize: 1 << 20, "huge")
    #expect(outcome.error?.code == .downloadSizeExceeded)
    let most = outcome.events.map(\.completed).max() ?? 0
    #expect(most <= 1 << 20)
    guard case .downloadSizeExceeded(let total, 1 << 20)? = outcome.error else { return }
    #expect(isDeclared ? total == 1 << 30 : total <= 1 << 20 + 512 << 10)
    if isDeclared { #expect(most == 0, "the length is looked at before a byte is read") }
  }
}
