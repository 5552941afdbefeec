// A gibibyte to a file, in memory that does not grow with it. The kernel counts the memory of a whole process, so this runs
// only when it is asked for, and by itself:
// `TASKS_GROWTH=1 swift test --filter TasksGrowthTests`.

import Foundation
import Glibc
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

@Suite(
  "Large downloads", .enabled(if: ProcessInfo.processInfo.environment["TASKS_GROWTH"] != nil),
  .timeLimit(.minutes(5)))
struct TasksGrowthTests {
  @Test("one gibibyte to a file takes less than 32 MiB of memory, with observers on it")
  func gibibyte() async throws {
    let bench = try TasksBench()
    bench.server.objects.put("bucket", "huge", patternOf: 1 << 30)
    // What a first, small download sets up once is no growth.
    _ = try await bench.object.writeAsync(toFile: bench.url("warm"))
    let before = residentBytes()
    let most = Lock(0)
    let task = bench.storage.reference(withPath: "huge").write(toFile: bench.url("huge"))
    task.observe(.progress) { _ in
      let now = residentBytes()
      most.withLock { $0 = max($0, now) }
    }
    let ended = Tally()
    task.observe(.success) { _ in ended.add() }
    task.observe(.failure) { snapshot in Issue.record("\(snapshot)") }
    try await waitUntil("the end", timeout: .seconds(240)) { () async -> Bool in
      task.snapshot.status == .failure || ended.count == 1
    }
    #expect(most.withLock { $0 } - before < 32 << 20)
    #expect(task.snapshot.progress?.completedUnitCount == 1 << 30)
    let size = try FileManager.default.attributesOfItem(atPath: bench.url("huge").path)[.size] as? Int
    #expect(size == 1 << 30)
  }
}

/// What the process has in memory, as the kernel counts it.
private func residentBytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
