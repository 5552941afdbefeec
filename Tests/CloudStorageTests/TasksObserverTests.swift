// Rows K on real tasks: what the registry's own tests cannot show, threads and lifetimes.

import Foundation
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

/// Something that a handler may hold, to see whether it is let go.
private final class Witness: Sendable {}

@Suite("Observers of a download", .timeLimit(.minutes(1)))
struct TasksObserverTests {
  @Test("K01 K03: one closure twice is two observers, of which one can be removed")
  func twice() async throws {
    let bench = try TasksBench("on bucket/a => delay 50ms")
    let calls = Tally()
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    let handler: @Sendable (StorageTaskSnapshot) -> Void = { _ in calls.add() }
    let handles = (0..<3).map { _ in task.observe(.success, handler: handler) }
    #expect(Set(handles).count == 3)
    task.removeObserver(withHandle: handles[1])
    try await CourseRecorder(task).waitForEnd()
    #expect(calls.count == 2)
  }

  @Test("K02: removing what is unknown, or another task's, is nothing")
  func unknown() async throws {
    let bench = try TasksBench("on bucket/a => delay 50ms")
    let calls = Tally()
    let (task, other) = (bench.object.getData(maxSize: 100) { _, _ in }, bench.object.getData(maxSize: 100) { _, _ in })
    let handle = task.observe(.success) { _ in calls.add() }
    other.removeObserver(withHandle: handle)
    task.removeObserver(withHandle: "no such handle")
    try await CourseRecorder(task).waitForEnd()
    #expect(calls.count == 1)
  }

  @Test("K04: removing the observers of one kind leaves the others")
  func oneKind() async throws {
    let bench = try TasksBench("on bucket/a => delay 50ms")
    let (progress, success) = (Tally(), Tally())
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    task.pause()
    task.observe(.progress) { _ in progress.add() }
    task.observe(.success) { _ in success.add() }
    task.removeAllObservers(for: .progress)
    task.resume()
    try await CourseRecorder(task).waitForEnd()
    #expect(progress.count == 0 && success.count == 1)
  }

  @Test("K05: without observers the completion and the size check still work", arguments: [100, 10] as [Int64])
  func withoutObservers(maxSize: Int64) async throws {
    let bench = try TasksBench("on bucket/a => delay 50ms; chunked; remove-header x-goog-stored-content-length")
    let (calls, done) = (Tally(), Lock<Int?>(nil))
    let task = bench.object.getData(maxSize: maxSize) { data, error in
      done.withLock { $0 = data?.count ?? error?.storageCode }
    }
    for status in StorageTaskStatus.allCases { task.observe(status) { _ in calls.add() } }
    bench.queue.sync { task.removeAllObservers() }
    let before = calls.count
    try await waitUntil("the completion") { () async -> Bool in done.withLock { $0 } != nil }
    #expect(done.withLock { $0 } == (maxSize == 100 ? 11 : -13032))
    #expect(calls.count == before)
  }

  @Test(
    "K06 K07 K08 K13: who comes after the end is told once, on the callback queue",
    arguments: ["", "on bucket/a => status 404", "cancel"])
  func late(fault: String) async throws {
    let bench = try TasksBench(fault == "cancel" ? "on bucket/a => stall 5" : fault)
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    if fault == "cancel" { task.cancel() }
    try await CourseRecorder(task).waitForEnd()
    let (right, wrong, elsewhere) = (Tally(), Tally(), Tally())
    let isGood = fault.isEmpty
    task.observe(isGood ? .success : .failure) { snapshot in
      if DispatchQueue.getSpecific(key: TasksBench.queueKey) != true { elsewhere.add() }
      if (snapshot.error == nil) == isGood { right.add() }
    }
    for status in [StorageTaskStatus.unknown, .resume, .progress, .pause, isGood ? .failure : .success] {
      task.observe(status) { _ in wrong.add() }
    }
    try await waitUntil("the late call") { () async -> Bool in right.count == 1 }
    try await Task.sleep(for: .milliseconds(20))
    #expect(right.count == 1 && wrong.count == 0 && elsewhere.count == 0)
  }

  @Test("K09 K10: a state that holds already is told at once, and asynchronously")
  func already() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5")
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.wait(for: .progress)
    let (progress, resume, pause) = (Tally(), Tally(), Tally())
    bench.queue.sync {
      task.observe(.progress) { _ in progress.add() }
      task.observe(.resume) { _ in resume.add() }
      #expect(progress.count + resume.count == 0, "not while the registration is under way")
    }
    bench.queue.sync {}
    #expect(progress.count == 1 && resume.count == 1)
    task.pause()
    try await recorder.wait(for: .pause)
    task.observe(.pause) { _ in pause.add() }
    bench.queue.sync {}
    #expect(pause.count == 1)
    task.cancel()
  }

  @Test("K11: an observer that meets the end is told exactly once, 1,000 rounds")
  func meetingTheEnd() async throws {
    let bench = try TasksBench()
    let (calls, ends) = (Tally(), Tally())
    for round in 0..<1_000 {
      let task = StorageDownloadTask(bench.object, .invalid(.invalidArgument(message: "x")))
      async let ending: Void = task.enqueue()
      for _ in 0..<(round % 7) { await Task.yield() }
      task.observe(.failure) { _ in calls.add() }
      task.whenEnded(on: .callbacks) { _ in ends.add() }
      await ending
    }
    try await waitUntil("all ends") { () async -> Bool in ends.count == 1_000 }
    bench.queue.sync {}
    #expect(calls.count == 1_000)
  }

  @Test(
    "K12: after the end what the handlers held is let go, however it ended", arguments: ["", "status 404", "cancel"])
  func released(fault: String) async throws {
    let bench = try TasksBench(
      fault == "cancel" ? "on bucket/a => stall 5" : fault.isEmpty ? "" : "on bucket/a => \(fault)")
    weak var witness: Witness?
    let task: StorageDownloadTask
    do {
      let held = Witness()
      witness = held
      task = bench.object.getData(maxSize: 100) { _, _ in _ = held }
      for status in StorageTaskStatus.allCases { task.observe(status) { _ in _ = held } }
      if fault == "cancel" { task.cancel() }
    }
    try await CourseRecorder(task).waitForEnd()
    try await waitUntil("the witness is gone") { () async -> Bool in witness == nil }
    // And an observer that comes later is let go, too.
    do {
      let held = Witness()
      witness = held
      for status in StorageTaskStatus.allCases { task.observe(status) { _ in _ = held } }
    }
    try await waitUntil("the second witness is gone") { () async -> Bool in witness == nil }
  }

  @Test("what a removed handler held may call the task as it goes")
  func releasedOutsideTheLock() async throws {
    final class Caller: Sendable {
      let task: StorageDownloadTask
      init(_ task: StorageDownloadTask) { self.task = task }
      deinit { task.removeAllObservers() }
    }
    let bench = try TasksBench("on bucket/a => stall 5")
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    var caller: Caller? = Caller(task)
    let handle = task.observe(.pause) { [caller] _ in _ = caller }
    caller = nil
    task.removeObserver(withHandle: handle)
    task.cancel()
    try await CourseRecorder(task).waitForEnd()
  }

  @Test("K14: a handler that removes itself is not called again, and nothing stands still")
  func removesItself() async throws {
    let bench = try TasksBench("on bucket/a => throttle 2MB/s")
    bench.server.objects.put("bucket", "a", patternOf: 400_000)
    let calls = Tally()
    let handle = Lock<StorageHandle?>(nil)
    let task = bench.object.getData(maxSize: 1 << 20) { _, _ in }
    task.pause()
    let own = task.observe(.progress) { snapshot in
      calls.add()
      guard let handle = handle.withLock({ $0 }) else { return }
      (snapshot.task as? StorageDownloadTask)?.removeObserver(withHandle: handle)
    }
    handle.withLock { $0 = own }
    task.resume()
    let recorder = CourseRecorder(task)
    try await recorder.waitForEnd()
    #expect(recorder.events.count { $0.status == .progress } > 1)
    #expect(calls.count == 1)
  }

  @Test("K14: a handler that removes the next one of the same event keeps it from being called")
  func removesTheOther() async throws {
    let bench = try TasksBench("on bucket/a => delay 30ms")
    let calls = Tally()
    let victim = Lock<StorageHandle?>(nil)
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    task.observe(.success) { snapshot in
      guard let handle = victim.withLock({ $0 }) else { return }
      (snapshot.task as? StorageDownloadTask)?.removeObserver(withHandle: handle)
    }
    let other = task.observe(.success) { _ in calls.add() }
    victim.withLock { $0 = other }
    try await CourseRecorder(task).waitForEnd()
    bench.queue.sync {}
    #expect(calls.count == 0)
  }

  @Test("K15 K16: a handle after the end, and an observer of nothing")
  func nothing() async throws {
    let bench = try TasksBench()
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    let handle = task.observe(.success) { _ in }
    #expect(!task.observe(.unknown) { _ in Issue.record("never") }.isEmpty)
    try await CourseRecorder(task).waitForEnd()
    bench.queue.sync {}
    task.removeObserver(withHandle: handle)
  }

  @Test("a callback queue that stands still does not make events pile up")
  func slowQueue() async throws {
    let bench = try TasksBench()
    bench.server.objects.put("bucket", "a", patternOf: 4 << 20)
    let gate = DispatchSemaphore(value: 0)
    bench.queue.async { gate.wait() }
    let done = Tally()
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    task.whenEnded(on: .waiters) { _ in done.add() }
    try await waitUntil("the end") { () async -> Bool in done.count == 1 }
    gate.signal()
    try await recorder.waitForEnd()
    #expect(recorder.events.count { $0.status == .progress } <= 3, "hundreds of pieces came")
    #expect(recorder.course == [.resume, .progress, .success])
  }
}
