// Ten thousand downloads whose users start, hold, resume and cancel them at random, from two threads each, with observers
// coming and going. Small objects, a real connection, seeds that are printed.

import Foundation
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

/// One download and what became of it.
private struct StormRound: Sendable {
  enum Object: String, CaseIterable, Sendable {
    case small, mid, missing, wrong
  }

  struct WeakTask {
    weak var task: StorageDownloadTask?
  }

  let bench: TasksBench
  let midBytes: Data
  let made: Lock<[WeakTask]>
  let seed: UInt64

  /// What is wrong, in words; empty when all is well.
  func run() async -> [String] {
    var dice = SplitMix64(seed: seed)
    let object = Object.allCases.randomElement(using: &dice) ?? .small
    let toFile = Bool.random(using: &dice)
    let reference = bench.storage.reference(withPath: object.rawValue)
    let url = bench.url("storm/\(seed)")
    let task = toFile ? reference.fileTask(url) : reference.memoryTask(maxSize: 1 << 20)
    made.withLock { $0.append(WeakTask(task: task)) }
    let (ends, completions) = (Tally(), Tally())
    for status in [StorageTaskStatus.success, .failure] { task.observe(status) { _ in ends.add() } }
    var hands = [SplitMix64(seed: dice.next()), SplitMix64(seed: dice.next())]
    let result: Result<Data?, StorageError> = await withCheckedContinuation { continuation in
      task.whenEnded(on: .callbacks) { result in
        completions.add()
        continuation.resume(returning: result)
      }
      task.enqueue()
      let (first, second) = (hands.removeFirst(), hands.removeFirst())
      Task {
        async let one: Void = Self.play(task, first)
        async let other: Void = Self.play(task, second)
        _ = await (one, other)
        task.resume()
      }
    }
    return faults(of: result, task, url: toFile ? url : nil, object, ends.count, completions.count)
  }

  /// Does up to eight things to the task.
  private static func play(_ task: StorageDownloadTask, _ dice: SplitMix64) async {
    var dice = dice
    var handles: [StorageHandle] = []
    for _ in 0..<Int.random(in: 0...8, using: &dice) {
      switch Int.random(in: 0..<12, using: &dice) {
      case 0, 1, 2: task.pause()
      case 3, 4: task.resume()
      case 5 where Int.random(in: 0..<4, using: &dice) == 0: task.cancel()
      case 6:
        let status = StorageTaskStatus.allCases.randomElement(using: &dice) ?? .progress
        handles.append(task.observe(status) { snapshot in _ = snapshot.progress })
      case 7: if let handle = handles.randomElement(using: &dice) { task.removeObserver(withHandle: handle) }
      case 8: task.removeAllObservers(for: .progress)
      case 9:
        // Called on the callback queue, to act from there.
        let mayCancel = Int.random(in: 0..<8, using: &dice) == 0
        task.observe(.progress) { snapshot in if mayCancel { (snapshot.task as? StorageDownloadTask)?.cancel() } }
      case 10: task.enqueue()
      default: for _ in 0..<Int.random(in: 0..<30, using: &dice) { await Task.yield() }
      }
    }
  }

  private func faults(
    of result: Result<Data?, StorageError>, _ task: StorageDownloadTask, url: URL?, _ object: Object, _ ends: Int,
    _ completions: Int
  ) -> [String] {
    var faults: [String] = []
    // The observers of the end came before the completion.
    if ends != 1 || completions != 1 { faults.append("\(ends) ends, \(completions) completions") }
    let expected: Data? =
      switch object {
      case .small: Data(TasksBench.text)
      case .mid: midBytes
      case .missing, .wrong: nil
      }
    switch result {
    case .success(let data):
      let bytes = url.map { FileManager.default.contents(atPath: $0.path) } ?? data
      if expected == nil || bytes != expected { faults.append("\(object): \(bytes?.count ?? -1) bytes") }
      if task.snapshot.status != .success { faults.append("status \(task.snapshot.status)") }
    case .failure(let error):
      let allowed: StorageErrorCode? =
        switch object {
        case .small, .mid: nil
        case .missing: .objectNotFound
        case .wrong: .nonMatchingChecksum
        }
      if error != .cancelled, error.code != allowed { faults.append("\(object): \(error)") }
      // A cancellation may come between the last byte and the end: then the file is the whole, new object.
      if let url, let bytes = FileManager.default.contents(atPath: url.path), bytes != expected {
        faults.append("\(object): a file of \(bytes.count) bytes after \(error.code)")
      }
    }
    return faults.map { "seed \(seed): \($0)" }
  }
}

@Suite("A storm of downloads", .timeLimit(.minutes(10)))
struct TasksStormTests {
  /// Sanitizers make it slow; `TASKS_STORM_ROUNDS` makes it shorter, or longer.
  static let rounds = ProcessInfo.processInfo.environment["TASKS_STORM_ROUNDS"].flatMap { UInt64($0) } ?? 10_000

  @Test("10,000 interleavings: one end each, no wrong file, no task and no part file left")
  func storm() async throws {
    let bench = try TasksBench("on bucket/wrong => hash crc32c wrong\non bucket/mid request every 10 => cut 30000")
    for name in ["small", "wrong"] { bench.server.objects.put("bucket", name, TasksBench.text) }
    // More than waits in memory before there is a part file.
    let midBytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    bench.server.objects.put("bucket", "mid", midBytes)
    let faults = Lock<[String]>([])
    let made = Lock<[StormRound.WeakTask]>([])
    await withTaskGroup(of: Void.self) { group in
      var next: UInt64 = 0
      while next < Self.rounds {
        if next >= 32 { await group.next() }
        let round = StormRound(bench: bench, midBytes: Data(midBytes), made: made, seed: next)
        group.addTask {
          let found = await round.run()
          faults.withLock { $0 += found }
        }
        next += 1
      }
    }
    #expect(faults.withLock { Array($0.prefix(10)) } == [])
    try await waitUntil("all tasks are gone", timeout: .seconds(20)) { () async -> Bool in
      made.withLock { tasks in !tasks.contains { $0.task != nil } }
    }
    #expect(try bench.unfinished(in: "storm").isEmpty)
  }
}
