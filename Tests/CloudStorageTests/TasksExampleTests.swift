// The snippets of examples/cloud-storage about downloads, run as they are.

import CloudStorage
import Foundation
import TestSupport
import Testing
import TransferModel

@Suite("Examples of downloads", .timeLimit(.minutes(1)))
struct TasksExampleTests {
  @Test("D5 D6: into memory and into a file")
  func downloads() async throws {
    let bench = try TasksBench()
    let count: Int? = await withCheckedContinuation { continuation in
      loadIsland(bench.object) { count, _ in continuation.resume(returning: count) }
    }
    #expect(count == 11)
    #expect(try await islandBytes(bench.object) == Data(TasksBench.text))
    let said: String = await withCheckedContinuation { continuation in
      saveIsland(bench.object, to: bench.url("island.jpg")) { text in continuation.resume(returning: text) }
    }
    #expect(said == "saved as island.jpg")
    let progress = Lock<[String]>([])
    try await saveIsland(bench.object, to: bench.url("island-2.jpg")) { text in progress.withLock { $0.append(text) } }
    #expect(progress.withLock { $0 } == ["100 %"])
    #expect(try bench.folder.read("island-2.jpg") == TasksBench.text)
  }

  @Test("D7 D10 D11: observers, a rest, an end")
  func observing() async throws {
    let bench = try TasksBench(
      "on bucket/slow => stall 5 for 50ms\non bucket/rest request 1 => stall 5\non bucket/large => stall 5")
    for name in ["slow", "rest", "large"] { bench.server.objects.put("bucket", name, TasksBench.text) }
    let slow = bench.storage.reference(withPath: "slow")
    let said = Lock<[String]>([])
    let task = slow.write(toFile: bench.url("f"))
    await withCheckedContinuation { continuation in
      follow(task, say: { text in said.withLock { $0.append(text) } }, done: { continuation.resume() })
    }
    #expect(said.withLock { $0 }.first == "started" && said.withLock { $0 }.last == "done")
    #expect(said.withLock { $0 }.contains("11 of 11 bytes"))
    let course = await saveWithARest(bench.storage.reference(withPath: "rest"), to: bench.url("g"))
    #expect(course == [.resume, .progress, .pause, .resume, .progress, .success])
    let large = bench.storage.reference(withPath: "large")
    let recorder = CourseRecorder(saveUnlessLarge(large, to: bench.url("h"), limit: 10))
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
  }

  @Test("D17: every code has its advice")
  func errors() async throws {
    let bench = try TasksBench("on bucket/b => status 403")
    bench.server.objects.put("bucket", "b", TasksBench.text)
    func adviceOn(_ name: String, maxSize: Int64 = 100) async -> String {
      do {
        _ = try await bench.storage.reference(withPath: name).data(maxSize: maxSize)
        return ""
      } catch {
        return advice(on: error)
      }
    }
    #expect(await adviceOn("none") == "Check the name: Object none does not exist.")
    #expect(await adviceOn("b") == "Ask for permission; signing in again will not help.")
    #expect(await adviceOn("a", maxSize: 10) == "11 bytes are more than 10; write it to a file.")
    #expect(await adviceOn("a", maxSize: -1).hasPrefix("Mend the program: Argument 'maxSize'"))
    #expect(advice(on: StorageError.cancelled) == "You wanted it so.")
  }

  @Test("D9: an image with a placeholder")
  func images() async throws {
    let bench = try TasksBench()
    let shown = Lock<[String]>([])
    let picture = picture(imageLoader(cachingIn: bench.url("cache"))) { bytes, isPlaceholder in
      shown.withLock { $0.append("\(bytes)\(isPlaceholder ? " for now" : "")") }
    }
    for _ in 0..<2 { try await show(bench.object, in: picture, placeholder: Data([1])) }
    #expect(shown.withLock { $0 } == ["1 for now", "11", "1 for now", "11"])
    #expect(bench.server.log.count == 1)
  }
}
