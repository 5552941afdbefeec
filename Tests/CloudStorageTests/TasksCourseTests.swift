// Rows J: the course of downloads on a real connection, with faults that make a middle to stop in.

@testable import CloudStorage
import Foundation
import TestSupport
import Testing
import TransferModel

/// The answer stops after five bytes until the client goes; the next request is answered whole.
private let stalls = "on bucket/a request 1 => stall 5"

@Suite("The course of a download", .timeLimit(.minutes(1)))
struct TasksCourseTests {
  @Test("J01: started, finished")
  func plain() async throws {
    let bench = try TasksBench()
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .success])
    #expect(recorder.events.last { $0.status == .progress } == .init(status: .progress, completed: 11, total: 11))
    #expect(try bench.folder.read("f") == TasksBench.text)
    #expect(task.snapshot.status == .success)
  }

  @Test("J02: an empty object makes an empty file")
  func empty() async throws {
    let bench = try TasksBench()
    bench.server.objects.put("bucket", "a", [])
    let (_, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.waitForEnd()
    #expect(recorder.events.map(\.status) == [.resume, .progress, .success])
    #expect(recorder.events[1] == .init(status: .progress, completed: 0, total: 0))
    #expect(try bench.folder.read("f").isEmpty)
  }

  @Test("J03: a missing object")
  func missing() async throws {
    let bench = try TasksBench()
    let (task, recorder) = bench.follow(bench.storage.reference(withPath: "nothing").fileTask(bench.url("f")))
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .failure])
    #expect(recorder.endings.first?.code == StorageErrorCode.objectNotFound.rawValue)
    #expect(task.snapshot.error?.storageCode == -13010)
    #expect(!bench.folder.exists("f"))
  }

  @Test("J04: paused in the middle, nothing more comes")
  func paused() async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    #expect(task.snapshot.status == .pause)
    #expect(recorder.events.last == .init(status: .pause, completed: 5, total: 11))
    try await Task.sleep(for: .milliseconds(50))
    #expect(recorder.course == [.resume, .progress, .pause])
    #expect(bench.ranges == [""])
    task.cancel()
  }

  @Test("J05: paused and resumed, from where it was")
  func resumed() async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .pause, .resume, .progress, .success])
    #expect(bench.ranges == ["", "bytes=5-"])
    #expect(try bench.folder.read("f") == TasksBench.text)
    #expect(recorder.events.filter { $0.status == .progress }.allSatisfy { $0.total == 11 && $0.completed >= 5 })
  }

  @Test("J06: paused and cancelled")
  func pausedCancelled() async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.cancel()
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .pause, .failure])
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
    #expect(try bench.unfinished().isEmpty && !bench.folder.exists("f"))
  }

  @Test("J07 J08: cancelled while running, twice: one failure, and no part file is left when it is told")
  func cancelled() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 200000")
    bench.server.objects.put("bucket", "a", patternOf: 400_000)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await waitUntil("a part file") { () async throws -> Bool in try !bench.unfinished().isEmpty }
    try await recorder.wait(for: .progress)
    let left = Lock<Bool?>(nil)
    task.observe(.failure) { _ in left.withLock { $0 = (try? bench.unfinished().isEmpty) } }
    task.cancel()
    task.cancel()
    try await recorder.waitForEnd()
    task.cancel()
    try await Task.sleep(for: .milliseconds(20))
    #expect(recorder.course == [.resume, .progress, .failure])
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
    #expect(left.withLock { $0 } == true)
  }

  @Test("J08 J09: nothing is told of a task that is over", arguments: [false, true])
  func over(fails: Bool) async throws {
    let bench = try TasksBench(fails ? "on bucket/a => status 403" : "")
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.waitForEnd()
    let before = recorder.events
    task.pause()
    task.resume()
    task.cancel()
    task.enqueue()
    try await Task.sleep(for: .milliseconds(20))
    #expect(recorder.events == before)
    #expect(task.snapshot.status == (fails ? .failure : .success))
    #expect(bench.ranges.count == 1)
  }

  @Test("J10: resume while running is nothing")
  func resumeRunning() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5 for 100ms")
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.wait(for: .progress)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .success])
    #expect(bench.ranges == [""])
  }

  @Test("J11: paused twice is told once")
  func pausedTwice() async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.wait(for: .progress)
    task.pause()
    task.pause()
    try await recorder.wait(for: .pause)
    task.pause()
    try await Task.sleep(for: .milliseconds(20))
    #expect(recorder.course == [.resume, .progress, .pause])
    task.cancel()
  }

  @Test("J12: paused before it begins, no request is sent until it is resumed")
  func pausedAtOnce() async throws {
    let bench = try TasksBench()
    let task = bench.object.memoryTask(maxSize: 100)
    let recorder = CourseRecorder(task)
    task.pause()
    task.enqueue()
    try await recorder.wait(for: .pause)
    try await Task.sleep(for: .milliseconds(30))
    #expect(bench.server.log.isEmpty && recorder.events.count == 1)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.course == [.pause, .resume, .progress, .success])
  }

  @Test("J12: a task that is paused in the turn of its making rests, whether or not its request was out")
  func pausedInTheSameTurn() async throws {
    let bench = try TasksBench("on bucket/a request 1 => delay 10s")
    let task = bench.object.getData(maxSize: 100) { _, _ in }
    task.pause()
    let recorder = CourseRecorder(task)
    try await recorder.wait(for: .pause)
    #expect(task.snapshot.status == .pause)
    #expect(recorder.events.count { $0.status == .pause } == 1)
    task.cancel()
    try await recorder.waitForEnd()
  }

  @Test("J13: paused and resumed at once, nothing is lost", arguments: 0..<20)
  func pausedAndResumedAtOnce(round: Int) async throws {
    let bench = try TasksBench()
    let task = bench.object.write(toFile: bench.url("f"))
    task.pause()
    task.resume()
    let recorder = CourseRecorder(task)
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.status) == [.success])
    #expect(try bench.folder.read("f") == TasksBench.text)
  }

  @Test("J14: a download into memory rests, too, and keeps what it has")
  func memory() async throws {
    let bench = try TasksBench(stalls)
    let got = Lock<Data?>(nil)
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    task.whenEnded(on: .callbacks) { result in got.withLock { $0 = (try? result.get()) ?? nil } }
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await waitUntil("the data") { () async -> Bool in got.withLock { $0 } != nil }
    #expect(got.withLock { $0 } == Data(TasksBench.text))
    #expect(bench.ranges == ["", "bytes=5-"])
  }

  @Test("J15: a server without ranges sends it all again")
  func noRanges() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5\non bucket/a => range ignore")
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.status) == [.success])
    #expect(try bench.folder.read("f") == TasksBench.text)
  }

  @Test("J16: an object that is replaced during a pause comes whole and new", arguments: [11, 7, 20])
  func replaced(length: Int) async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    let new = [UInt8](repeating: UInt8(ascii: "n"), count: length)
    bench.server.objects.put("bucket", "a", new)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.status) == [.success])
    #expect(try bench.folder.read("f") == new)
  }

  @Test("J19: cancelled by its own progress observer")
  func cancelInside() async throws {
    let bench = try TasksBench(stalls)
    let task = bench.object.write(toFile: bench.url("f"))
    task.observe(.progress) { snapshot in (snapshot.task as? StorageDownloadTask)?.cancel() }
    let recorder = CourseRecorder(task)
    try await recorder.waitForEnd()
    try await Task.sleep(for: .milliseconds(20))
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
  }

  @Test("J20 P93: nobody keeps the task, and it comes to its end nevertheless")
  func unheld() async throws {
    let bench = try TasksBench("on bucket/a request 1 => delay 50ms")
    let done = Tally()
    weak var task: StorageDownloadTask?
    do {
      let made = bench.object.write(toFile: bench.url("f"))
      made.observe(.success) { _ in done.add() }
      task = made
    }
    bench.object.getData(maxSize: 100) { data, _ in if data?.count == 11 { done.add() } }
    try await waitUntil("both ends") { () async -> Bool in done.count == 2 }
    try await waitUntil("the task is gone") { () async -> Bool in task == nil }
  }

  @Test("a held task that nobody keeps is given up, with its part file")
  func heldAndDropped() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 200000")
    bench.server.objects.put("bucket", "a", patternOf: 400_000)
    weak var weakTask: StorageDownloadTask?
    do {
      let task = bench.object.write(toFile: bench.url("f")) { _, _ in Issue.record("it never ends") }
      weakTask = task
      let recorder = CourseRecorder(task)
      try await waitUntil("a part file") { () async throws -> Bool in try !bench.unfinished().isEmpty }
      task.pause()
      try await recorder.wait(for: .pause)
      #expect(try !bench.unfinished().isEmpty)
    }
    try await waitUntil("the task is gone") { () async -> Bool in weakTask == nil }
    try await waitUntil("its part file is gone") { () async throws -> Bool in try bench.unfinished().isEmpty }
  }

  @Test("J21: a hundred at once, all called back on the callback queue")
  func hundred() async throws {
    let bench = try TasksBench()
    let (done, elsewhere) = (Tally(), Tally())
    for number in 0..<100 {
      bench.object.write(toFile: bench.url("d/\(number)")) { url, _ in
        if DispatchQueue.getSpecific(key: TasksBench.queueKey) != true { elsewhere.add() }
        if url == bench.url("d/\(number)") { done.add() }
      }
    }
    try await waitUntil("all ends", timeout: .seconds(20)) { () async -> Bool in done.count == 100 }
    #expect(elsewhere.count == 0)
    for number in 0..<100 { #expect(try bench.folder.read("d/\(number)") == TasksBench.text) }
    #expect(try bench.unfinished(in: "d").isEmpty)
  }

  @Test("J22: cancelled by eight threads at once", arguments: 0..<10)
  func cancelRace(round: Int) async throws {
    let bench = try TasksBench(stalls)
    let completions = Tally()
    let task = bench.object.write(toFile: bench.url("f")) { _, _ in completions.add() }
    let recorder = CourseRecorder(task)
    if round.isMultiple(of: 2) { try await recorder.wait(for: .progress) }
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { task.cancel() } }
    }
    try await recorder.waitForEnd()
    try await Task.sleep(for: .milliseconds(10))
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
    #expect(completions.count == 1)
  }

  @Test("J30 J31: a snapshot is a thing of its own")
  func snapshots() async throws {
    let bench = try TasksBench(stalls)
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await recorder.waitForEnd()
    let first = try #require(
      recorder.snapshots.first { $0.status == .progress && $0.progress?.completedUnitCount == 5 })
    let progress = try #require(first.progress)
    progress.completedUnitCount = 99
    #expect(first.progress?.completedUnitCount == 5 && first.progress?.totalUnitCount == 11)
    #expect(recorder.snapshots.allSatisfy { $0.metadata == nil && $0.reference == bench.object && $0.task === task })
    #expect(recorder.snapshots.allSatisfy { ($0.error == nil) == ($0.status != .failure) })
    #expect(first.description == "<State: Progress, Progress: 5 of 11 bytes>")
    #expect(task.snapshot.description == "<State: Success>")
  }

  @Test("J32: without a length the total is unknown until the end")
  func unknownTotal() async throws {
    let bench = try TasksBench(
      "on bucket/a => chunked; remove-header x-goog-stored-content-length\non bucket/a request 1 => stall 5")
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await recorder.wait(for: .progress)
    #expect(recorder.events.last == .init(status: .progress, completed: 5, total: -1))
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await recorder.waitForEnd()
    let progress = recorder.events.filter { $0.status == .progress }
    #expect(recorder.snapshots.allSatisfy { ($0.progress?.fractionCompleted ?? 0) <= 1 })
    #expect(progress.last == .init(status: .progress, completed: 11, total: 11))
  }
}
