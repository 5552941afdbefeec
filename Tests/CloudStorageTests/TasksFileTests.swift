// Rows J23 to J29, and N11 to N13 and G18 to G19 where downloads are meant: what is on the disk after good and bad ends.

import CurlTransport
import Foundation
import Glibc
import StorageCore
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

@Suite("Downloads to files", .timeLimit(.minutes(1)))
struct TasksFileTests {
  private func failure(_ bench: TasksBench, _ url: URL, _ name: String = "a") async -> StorageError? {
    do {
      _ = try await bench.storage.reference(withPath: name).writeAsync(toFile: url)
      return nil
    } catch {
      return error as? StorageError
    }
  }

  @Test(
    "J23 N11: a failure leaves the old file and nothing else",
    arguments: [
      ("status 404", StorageErrorCode.objectNotFound), ("status 403", .unauthorized),
      ("hash crc32c wrong", .nonMatchingChecksum), ("swap at byte 3", .nonMatchingChecksum),
      ("cut 5", .retryLimitExceeded), ("reset 5", .retryLimitExceeded), ("empty-reply", .retryLimitExceeded),
    ])
  func oldFileStays(fault: String, code: StorageErrorCode) async throws {
    let bench = try TasksBench("on bucket/a => \(fault)")
    if fault == "cut 5" || fault == "reset 5" { try bench.server.faults.set("on bucket/a => \(fault); range ignore") }
    bench.storage.maxDownloadRetryTime = 0
    try bench.folder.write("old", to: "f")
    let error = await failure(bench, bench.url("f"))
    #expect(error?.code == code)
    #expect(try bench.folder.readText("f") == "old")
    #expect(try bench.unfinished().isEmpty)
  }

  @Test("N12 N13: without md5, or without any hash, the length is enough", arguments: ["hash md5 none", "hash none"])
  func fewerHashes(fault: String) async throws {
    let bench = try TasksBench("on bucket/a => \(fault)")
    #expect(try await bench.object.writeAsync(toFile: bench.url("f")) == bench.url("f"))
    #expect(try bench.folder.read("f") == TasksBench.text)
  }

  @Test("J24: an existing file is replaced as a whole")
  func replaced() async throws {
    let bench = try TasksBench("on bucket/a => throttle 2MB/s")
    bench.server.objects.put("bucket", "a", patternOf: 300_000)
    let old = [UInt8](repeating: 1, count: 1_000)
    try bench.folder.write(old, to: "f", mode: 0o640)
    let task = bench.object.write(toFile: bench.url("f"))
    let seen = Lock<Set<Int>>([])
    task.observe(.progress) { _ in
      let size = (try? bench.folder.read("f"))?.count ?? -1
      seen.withLock { _ = $0.insert(size) }
    }
    let recorder = CourseRecorder(task)
    try await recorder.waitForEnd()
    #expect(seen.withLock { $0 }.isSubset(of: [1_000, 300_000]))
    #expect(try bench.folder.read("f").count == 300_000)
    #expect(try bench.unfinished().isEmpty)
  }

  @Test("J25: missing folders are made, but only for bytes")
  func folders() async throws {
    let bench = try TasksBench()
    _ = try await bench.object.writeAsync(toFile: bench.url("x/y/z/f"))
    #expect(try bench.folder.read("x/y/z/f") == TasksBench.text)
    #expect(await failure(bench, bench.url("q/f"), "nothing")?.code == .objectNotFound)
    #expect(!bench.folder.exists("q"))
  }

  @Test("J26: a destination that cannot be written is told with the system's words, and not tried again")
  func unwritable() async throws {
    let bench = try TasksBench()
    try bench.folder.makeFolder("dir")
    try bench.folder.write("x", to: "file")
    for (name, number) in [("dir", EISDIR), ("file/f", ENOTDIR), ("dir/../dir/", EISDIR)] {
      let before = bench.ranges.count
      let error = try #require(await failure(bench, bench.url(name)))
      #expect(error.code == .unknown)
      #expect(error.errorDescription?.contains(String(cString: strerror(number))) == true, "\(name): \(error)")
      #expect(bench.ranges.count == before + 1)
    }
    #expect(try bench.folder.readText("file") == "x")
    #expect(try bench.unfinished().isEmpty && bench.unfinished(in: "dir").isEmpty)
  }

  @Test("J26: nor is a folder that nobody may write to")
  func forbidden() async throws {
    let bench = try TasksBench()
    // Refused by the kernel whoever asks, root included.
    let error = try #require(await failure(bench, URL(fileURLWithPath: "/sys/kernel/nothing-to-write-here")))
    #expect(error.code == .unknown)
    #expect(error.errorDescription?.hasPrefix("POSIX errno ") == true)
    #expect(bench.ranges.count == 1)
  }

  @Test("J27: a URL without a scheme is a path")
  func schemeless() async throws {
    let bench = try TasksBench()
    let absolute = try #require(URL(string: bench.folder.path("a%20b/f")))
    #expect(absolute.scheme == nil)
    _ = try await bench.object.writeAsync(toFile: absolute)
    #expect(try bench.folder.read("a b/f") == TasksBench.text)
    let relative = try FileDestination(try #require(URL(string: "path/to/image")))
    #expect(relative.folder == "path/to" && relative.name.text == "image")
    let bare = try FileDestination(try #require(URL(string: "image")))
    #expect(bare.folder == "." && bare.name.text == "image")
  }

  @Test("J27: a relative path is below the current directory")
  func relative() async throws {
    let bench = try TasksBench()
    // The folder that the tests run in, and a name in it that nobody else has.
    let name = "tasks-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    defer { try? FileManager.default.removeItem(atPath: name) }
    _ = try await bench.object.writeAsync(toFile: try #require(URL(string: "\(name)/image")))
    #expect(try TemporaryDirectory.bytes(ofFile: "\(name)/image") == TasksBench.text)
  }

  @Test(
    "J28: other schemes and no names are refused without a request",
    arguments: ["https://h/x", "ftp://h/x", "gs://b/x", "file:///", "..", "a/..", "a%00b/c"])
  func refused(text: String) async throws {
    let bench = try TasksBench()
    let url = try #require(URL(string: text))
    #expect(await failure(bench, url)?.code == .invalidArgument)
    #expect(bench.server.log.isEmpty)
  }

  @Test("the root of a bucket has no bytes")
  func root() async throws {
    let bench = try TasksBench()
    let error = await #expect(throws: StorageError.self) { try await bench.storage.reference().data(maxSize: 1) }
    #expect(error?.code == .invalidArgument)
    #expect(bench.server.log.isEmpty)
  }

  @Test("J29: cancelling the Swift task ends the download")
  func swiftCancellation() async throws {
    let bench = try TasksBench("on bucket/a => stall 200000")
    bench.server.objects.put("bucket", "a", patternOf: 400_000)
    let download = Task { try await bench.object.writeAsync(toFile: bench.url("f")) }
    let memory = Task { try await bench.object.data(maxSize: 1 << 20) }
    try await waitUntil("a part file") { () async throws -> Bool in try !bench.unfinished().isEmpty }
    download.cancel()
    memory.cancel()
    await #expect(throws: StorageError.cancelled) { try await download.value }
    await #expect(throws: StorageError.cancelled) { try await memory.value }
    #expect(try bench.unfinished().isEmpty && !bench.folder.exists("f"))
  }

  @Test("J29: a Swift task that is cancelled before it begins sends nothing")
  func cancelledBefore() async throws {
    let bench = try TasksBench()
    let download = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await bench.object.data(maxSize: 100)
    }
    download.cancel()
    await #expect(throws: StorageError.cancelled) { try await download.value }
    #expect(bench.server.log.isEmpty)
  }

  @Test("writeAsync tells its progress, and nothing after it returned")
  func progress() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5 for 50ms")
    let told = Lock<[Int64]>([])
    _ = try await bench.object.writeAsync(toFile: bench.url("f")) { progress in
      told.withLock { $0.append(progress?.completedUnitCount ?? -1) }
    }
    // Of two pieces that come close together the first may go unmentioned.
    #expect([[5, 11], [11]].contains(told.withLock { $0 }))
  }

  @Test("G18: refused connections with no retry time left")
  func refusedConnection() async throws {
    let bench = try TasksBench()
    bench.storage.maxDownloadRetryTime = 0
    bench.server.stop()
    let error = await failure(bench, bench.url("f"))
    #expect(error?.code == .retryLimitExceeded)
    #expect(error?.serverError?.domain == NSURLErrorDomain)
  }

  @Test("G19: a certificate that nobody vouches for, once", .enabled(if: NginxServer.isAvailable))
  func untrusted() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("hello world", to: "v0/b/bucket/o/a")
    let server = try await onOwnThread { try NginxServer(serving: folder.path, scheme: .https) }
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 1))
    defer { transport.shutdown() }
    let options = StorageOptions(bucket: "bucket")
    let storage = Storage(
      app: StorageApp(name: "test", options: options), bucket: "bucket", options: options,
      emulator: Origin(scheme: .https, host: "127.0.0.1", port: server.port),
      engine: StorageEngine(transport: transport))
    let begin = ContinuousClock.now
    let error = await #expect(throws: StorageError.self) {
      try await storage.reference(withPath: "a").data(maxSize: 100)
    }
    #expect(error?.code == .unknown)
    #expect(error?.serverError?.code == NSURLErrorServerCertificateUntrusted)
    #expect(ContinuousClock.now - begin < .seconds(60), "the retry time is ten minutes")
    server.stop()
  }

  @Test("I10 I11 Q07: faults that pass are tried again, and what was received is kept")
  func retried() async throws {
    let bench = try TasksBench(
      "on bucket/a request 1 => status 503\non bucket/a request 2 => reset 5\non bucket/a request 3 => status 500")
    let (_, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.waitForEnd()
    #expect(recorder.course == [.resume, .progress, .success])
    #expect(bench.ranges.first == "" && bench.ranges.last == "bytes=5-")
    #expect(try bench.folder.read("f") == TasksBench.text)
  }

  @Test("I18: cancelled while it waits to try again")
  func cancelBackOff() async throws {
    let bench = try TasksBench("on bucket/a => status 503 retry-after 30")
    bench.storage.maxDownloadRetryTime = 600
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await waitUntil("the first answer") { () async -> Bool in bench.server.log.first?.status == 503 }
    try await Task.sleep(for: .milliseconds(20))
    let begin = ContinuousClock.now
    task.cancel()
    try await recorder.waitForEnd()
    #expect(ContinuousClock.now - begin < .seconds(1))
    #expect(recorder.endings.map(\.code) == [StorageErrorCode.cancelled.rawValue])
  }

  @Test("a task that waits to try again can be held and resumed")
  func pauseBackOff() async throws {
    let bench = try TasksBench("on bucket/a request 1 => status 503 retry-after 30")
    bench.storage.maxDownloadRetryTime = 600
    let (task, recorder) = bench.follow(bench.object.memoryTask(maxSize: 100))
    try await waitUntil("the first answer") { () async -> Bool in bench.server.log.first?.status == 503 }
    try await Task.sleep(for: .milliseconds(20))
    task.pause()
    try await recorder.wait(for: .pause)
    #expect(recorder.events.last == .init(status: .pause, completed: 0, total: 0))
    task.cancel()
    try await recorder.waitForEnd()
  }

  @Test("E10 and 11.3: a resumed download carries its credentials, as a fresh one does")
  func credentialsOnResume() async throws {
    let options = StorageOptions(bucket: "bucket", tokens: FixedToken())
    let bench = try TasksBench(
      "on bucket/a request 1 => stall 5\non bucket/a => auth require \"Firebase t0ken\"", options: options)
    let (task, recorder) = bench.follow(bench.object.fileTask(bench.url("f")))
    try await recorder.wait(for: .progress)
    task.pause()
    try await recorder.wait(for: .pause)
    task.resume()
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.status) == [.success])
    #expect(bench.server.log.map { $0.fields["Authorization"] } == ["Firebase t0ken", "Firebase t0ken"])
  }

  @Test("P01: an object that is stored as gzip is verified as it is stored and put in place decoded")
  func gzip() async throws {
    let bench = try TasksBench()
    bench.server.objects.put(
      "bucket", "a", Self.helloGzip, ObjectMetadata(contentEncoding: "gzip"))
    #expect(try await bench.object.data(maxSize: 100) == Data(TasksBench.text))
    _ = try await bench.object.writeAsync(toFile: bench.url("f"))
    #expect(try bench.folder.read("f") == TasksBench.text)
    let error = await #expect(throws: StorageError.self) { try await bench.object.data(maxSize: 10) }
    #expect(error?.code == .downloadSizeExceeded)
  }

  /// `hello world`, compressed (31 bytes).
  private static let helloGzip: [UInt8] = [
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x28, 0xcf, 0x2f, 0xca, 0x49,
    0x01, 0x00, 0x85, 0x11, 0x4a, 0x0d, 0x0b, 0x00, 0x00, 0x00,
  ]

  @Test("the events as an async sequence: the present state first, all of the course, then the end")
  func sequence() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5")
    let task = bench.object.write(toFile: bench.url("f"))
    var course: [StorageTaskStatus] = []
    for await snapshot in task.snapshots {
      if course.last != snapshot.status { course.append(snapshot.status) }
      switch snapshot.status {
      case .progress where snapshot.progress?.completedUnitCount == 5: task.pause()
      case .pause: task.resume()
      default: break
      }
    }
    #expect(course == [.resume, .progress, .pause, .resume, .progress, .success])
    var late: [StorageTaskStatus] = []
    for await snapshot in task.snapshots { late.append(snapshot.status) }
    #expect(late == [.success])
  }

  @Test("a loop over the events that is left or cancelled leaves the task alone")
  func leftSequence() async throws {
    let bench = try TasksBench("on bucket/a request 1 => stall 5 for 100ms")
    let task = bench.object.write(toFile: bench.url("f"))
    for await _ in task.snapshots { break }
    let loop = Task { for await _ in bench.object.write(toFile: bench.url("g")).snapshots {} }
    loop.cancel()
    await loop.value
    let recorder = CourseRecorder(task)
    try await recorder.waitForEnd()
    #expect(recorder.endings.map(\.status) == [.success])
  }
}

private struct FixedToken: StorageTokenProviding {
  func idToken(forcingRefresh: Bool) async throws -> String? { "t0ken" }
}
