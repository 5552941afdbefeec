// Rows V: images through the caches, on a real connection.

import Foundation
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

@Suite("Loading images", .timeLimit(.minutes(1)))
struct ImageLoaderTests {
  private let hello = Data(TasksBench.text)

  private func loader(_ bench: TasksBench, clocks: ManualClocks = ManualClocks()) -> StorageImageLoader {
    StorageImageLoader(cache: StorageCache(path: bench.folder.path("cache"), clocks: clocks), clocks: clocks)
  }

  @Test("V01: twice is one request; a hit on disk is none")
  func twice() async throws {
    let bench = try TasksBench()
    let loader = loader(bench)
    let first = try await loader.image(for: bench.object), second = try await loader.image(for: bench.object)
    loader.clearMemory()
    let third = try await loader.image(for: bench.object), fourth = try await loader.image(for: bench.object)
    #expect([first, second, third, fourth].map(\.source) == [.network, .memory, .disk, .memory])
    #expect([first, second, third, fourth].allSatisfy { $0.data == hello && $0.reference == bench.object })
    #expect(bench.server.log.count == 1)
    #expect(first.generation == fourth.generation && (first.generation ?? 0) > 0)
  }

  @Test("V02: two at once are one request")
  func shared() async throws {
    let bench = try TasksBench("on bucket/a => delay 50ms")
    let loader = loader(bench)
    async let first = loader.image(for: bench.object)
    async let second = loader.image(for: bench.object)
    #expect(try await [first, second].map(\.data) == [hello, hello])
    #expect(bench.server.log.count == 1)
    #expect(loader.flightCount == 0)
  }

  @Test("V03: an object that was replaced is served as it was, unless the version is asked for")
  func stale() async throws {
    let bench = try TasksBench()
    let loader = loader(bench)
    _ = try await loader.image(for: bench.object)
    _ = try await loader.image(for: bench.object, options: .generationInKey)
    let before = bench.ranges.count
    bench.server.objects.put("bucket", "a", text: "new")
    #expect(try await loader.image(for: bench.object).data == hello)
    #expect(try await loader.image(for: bench.object, options: .generationInKey).data == Data("new".utf8))
    #expect(bench.ranges.count == before + 1)
    let again = try await loader.image(for: bench.object, options: .generationInKey)
    #expect(again.data == Data("new".utf8) && again.source == .memory)
    #expect(try await loader.image(for: bench.object).data == hello, "the plain key is stale still")
    let fresh = try await loader.image(for: bench.object, options: .refreshCached)
    #expect(fresh.data == Data("new".utf8) && fresh.source == .network)
    #expect(try await loader.image(for: bench.object, options: .refreshCached).source == .memory)
    loader.clearMemory()
    #expect(try await loader.image(for: bench.object, options: .refreshCached).source == .disk)
    #expect(try await loader.image(for: bench.object).data == Data("new".utf8))
  }

  @Test("V04: the limit is ten million bytes, or what is asked for, for cached images too")
  func limit() async throws {
    let bench = try TasksBench()
    bench.server.objects.put("bucket", "fits", patternOf: 10_000_000)
    bench.server.objects.put("bucket", "large", patternOf: 10_000_001)
    let loader = loader(bench)
    let (fits, large) = (bench.storage.reference(withPath: "fits"), bench.storage.reference(withPath: "large"))
    #expect(try await loader.image(for: fits).data.count == 10_000_000)
    await #expect(throws: StorageError.downloadSizeExceeded(total: 10_000_001, maxSize: 10_000_000)) {
      try await loader.image(for: large)
    }
    #expect(try await loader.image(for: large, maxImageSize: 20_000_000).data.count == 10_000_001)
    await #expect(throws: StorageError.downloadSizeExceeded(total: 10_000_001, maxSize: 10_000_000)) {
      try await loader.image(for: large)
    }
  }

  /// What a consumer was shown and told.
  private final class Screen: Sendable {
    let shown = Lock<[StorageImageEvent]>([])
    let ended = Lock<[String: Result<StorageImage, any Error>]>([:])

    func consumer(_ loader: StorageImageLoader) -> StorageImageConsumer {
      StorageImageConsumer(loader: loader) { [weak self] event in self?.shown.withLock { $0.append(event) } }
    }

    func completion(_ name: String) -> @Sendable (Result<StorageImage, any Error>) -> Void {
      { [weak self] result in self?.ended.withLock { $0[name] = result } }
    }

    var events: [StorageImageEvent] { shown.withLock { $0 } }

    func code(of name: String) -> Int? {
      if case .failure(let error)? = ended.withLock({ $0[name] }) { return error.storageCode }
      return nil
    }

    func wait(for count: Int) async throws {
      try await waitUntil("\(count) completions") { () async -> Bool in ended.withLock { $0.count } >= count }
    }
  }

  @Test("V05: after a failure the placeholder stays and the error is told")
  func failure() async throws {
    let bench = try TasksBench("on bucket/a => status 403")
    let screen = Screen()
    let consumer = screen.consumer(loader(bench))
    consumer.setImage(with: bench.object, placeholder: Data([1]), completion: screen.completion("a"))
    try await screen.wait(for: 1)
    #expect(screen.events == [.placeholder(Data([1]))])
    #expect(screen.code(of: "a") == StorageErrorCode.unauthorized.rawValue)
  }

  @Test("V06: what is not there is not asked for again for a while, any other failure is")
  func negative() async throws {
    let bench = try TasksBench("on bucket/a request 1 => status 403")
    let clocks = ManualClocks()
    let loader = loader(bench, clocks: clocks)
    let missing = bench.storage.reference(withPath: "missing")
    for _ in 0..<3 {
      let error = await #expect(throws: StorageError.self) { try await loader.image(for: missing) }
      #expect(error?.code == .objectNotFound)
    }
    #expect(bench.server.log.count == 1)
    bench.server.objects.put("bucket", "missing", text: "there")
    await #expect(throws: StorageError.self) { try await loader.image(for: missing) }
    #expect(bench.server.log.count == 1)
    #expect(try await loader.image(for: missing, options: .retryFailed).data == Data("there".utf8))
    await #expect(throws: StorageError.self) { try await loader.image(for: bench.object) }
    #expect(try await loader.image(for: bench.object).data == hello)
    let other = bench.storage.reference(withPath: "other")
    await #expect(throws: StorageError.self) { try await loader.image(for: other) }
    bench.server.objects.put("bucket", "other", text: "there")
    clocks.advance(by: .seconds(301))
    #expect(try await loader.image(for: other).data == Data("there".utf8))
  }

  @Test("V07: a new image on the same consumer cancels the one before, which is not shown")
  func replaced() async throws {
    let bench = try TasksBench("on bucket/slow => stall 2")
    bench.server.objects.put("bucket", "slow", text: "slow one")
    let loader = loader(bench)
    let screen = Screen()
    let consumer = screen.consumer(loader)
    let slow = bench.storage.reference(withPath: "slow")
    consumer.setImage(with: slow, placeholder: Data([1]), completion: screen.completion("slow"))
    try await waitUntil("the first request") { () async -> Bool in !bench.server.log.isEmpty }
    consumer.setImage(with: bench.object, placeholder: Data([2]), completion: screen.completion("a"))
    try await screen.wait(for: 2)
    #expect(screen.code(of: "slow") == StorageErrorCode.cancelled.rawValue && screen.code(of: "a") == nil)
    let image = try screen.ended.withLock { try $0["a"]?.get() }
    let expected = try #require(image)
    #expect(screen.events == [.placeholder(Data([1])), .placeholder(Data([2])), .image(expected)])
    try await waitUntil("the slow load is over") { () async -> Bool in loader.flightCount == 0 }
  }

  @Test("V07: a consumer that goes away, or is told to, cancels its load", arguments: [false, true])
  func cancelled(drops: Bool) async throws {
    let bench = try TasksBench("on bucket/a => stall 2")
    let loader = loader(bench)
    let screen = Screen()
    var consumer: StorageImageConsumer? = screen.consumer(loader)
    consumer?.setImage(with: bench.object, completion: screen.completion("a"))
    try await waitUntil("the request") { () async -> Bool in !bench.server.log.isEmpty }
    if drops { consumer = nil } else { consumer?.cancel() }
    try await screen.wait(for: 1)
    #expect(screen.code(of: "a") == StorageErrorCode.cancelled.rawValue && screen.events.isEmpty)
    try await waitUntil("the load is over") { () async -> Bool in loader.flightCount == 0 }
    withExtendedLifetime(consumer) {}
  }

  @Test("the last asker who goes ends the download, and not before")
  func lastAsker() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5 for 500ms\non bucket/b => stall 5")
    bench.server.objects.put("bucket", "b", text: "another one")
    let loader = loader(bench)
    let first = Task { try await loader.image(for: bench.object) }
    let second = Task { try await loader.image(for: bench.object) }
    try await waitUntil("both") { () async -> Bool in loader.askerCount == 2 && !bench.server.log.isEmpty }
    first.cancel()
    await #expect(throws: StorageError.cancelled) { try await first.value }
    #expect(try await second.value.data == hello)
    #expect(bench.ranges.count == 1)
    let askers = (0..<3).map { _ in
      Task { try await loader.image(for: bench.storage.reference(withPath: "b")) }
    }
    try await waitUntil("the load") { () async -> Bool in
      bench.server.log.count == 2 && loader.askerCount == 3
    }
    for asker in askers { asker.cancel() }
    for asker in askers { await #expect(throws: StorageError.cancelled) { try await asker.value } }
    #expect(loader.flightCount == 0)
  }

  @Test("V09: the placeholder comes before anything is sent")
  func placeholder() async throws {
    let bench = try TasksBench()
    let sent = Lock<[Int]>([])
    let done = Tally()
    let consumer = StorageImageConsumer(loader: loader(bench)) { event in
      if case .placeholder = event { sent.withLock { $0.append(bench.server.log.count) } }
    }
    consumer.setImage(with: bench.object, placeholder: Data([1])) { _ in done.add() }
    try await waitUntil("the end") { () async -> Bool in done.count == 1 }
    #expect(sent.withLock { $0 } == [0])
  }

  @Test("as a sequence: placeholder, image, end; and the error at the end")
  func sequence() async throws {
    let bench = try TasksBench()
    let loader = loader(bench)
    var events: [StorageImageEvent] = []
    for try await event in loader.images(for: bench.object, placeholder: Data([1])) { events.append(event) }
    #expect(events.count == 2 && events.first == .placeholder(Data([1])))
    if case .image(let image)? = events.last { #expect(image.data == hello) } else { Issue.record("no image came") }
    events = []
    let missing = bench.storage.reference(withPath: "missing")
    await #expect(throws: StorageError.self) {
      for try await event in loader.images(for: missing, placeholder: Data([1])) { events.append(event) }
    }
    #expect(events == [.placeholder(Data([1]))])
  }

  @Test("progress is told to everyone who asked")
  func progress() async throws {
    let bench = try TasksBench("on bucket/a => stall 5 for 100ms")
    let loader = loader(bench)
    let told = Lock<[Int64]>([])
    let image = try await loader.image(for: bench.object) { progress in
      told.withLock { $0.append(progress.completedUnitCount) }
    }
    #expect(image.data == hello)
    #expect(told.withLock { $0 }.last == 11)
  }

  @Test(
    "without a disk cache, and with one that cannot be written, images come nevertheless", arguments: [false, true])
  func withoutDisk(isBroken: Bool) async throws {
    let bench = try TasksBench()
    try bench.folder.write("a file", to: "cache")
    let cache = isBroken ? StorageCache(folder: bench.url("cache")) : nil
    let loader = StorageImageLoader(cache: cache)
    #expect(try await loader.image(for: bench.object).source == .network)
    #expect(try await loader.image(for: bench.object).source == .memory)
  }

  @Test("many askers who come and go at random: everyone has one answer, and nothing stays behind")
  func crowd() async throws {
    let bench = try TasksBench()
    for number in 0..<4 { bench.server.objects.put("bucket", "i\(number)", text: "image \(number)") }
    let loader = StorageImageLoader(memoryLimit: 8)
    let answers = Tally()
    await withTaskGroup { group in
      for seed in 0..<200 as Range<UInt64> {
        group.addTask {
          var dice = SplitMix64(seed: seed)
          let number = Int.random(in: 0..<4, using: &dice)
          let asker = Task { try await loader.image(for: bench.storage.reference(withPath: "i\(number)")) }
          if Bool.random(using: &dice) {
            for _ in 0..<Int.random(in: 0..<20, using: &dice) { await Task.yield() }
            asker.cancel()
          }
          switch await asker.result {
          case .success(let image): #expect(image.data == Data("image \(number)".utf8))
          case .failure(let error): #expect(error as? StorageError == .cancelled)
          }
          answers.add()
        }
      }
    }
    #expect(answers.count == 200)
    try await waitUntil("nothing is under way") { () async -> Bool in loader.flightCount == 0 }
  }
}
