// A storage on a real transport before an emulator in this process, and somebody who writes down what a task tells.

import CurlTransport
import Dispatch
import Foundation
import StorageEmulator
import TestSupport
import TransferModel

@testable import CloudStorage

/// One emulator with the bucket `bucket`, and a storage that talks to it.
final class TasksBench: Sendable {
  static let text = Array("hello world".utf8)

  let server: StorageEmulator
  let storage: Storage
  let folder: TemporaryDirectory
  let queue = DispatchQueue(label: "test.callbacks")
  static let queueKey = DispatchSpecificKey<Bool>()
  private let transport: CurlTransport

  /// Puts `a`, 11 bytes, and plays the faults.
  init(_ faults: String = "", options: StorageOptions = StorageOptions(bucket: "bucket")) throws {
    server = try StorageEmulator()
    server.objects.put("bucket", "a", Self.text)
    if !faults.isEmpty { try server.faults.set(faults) }
    transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 2))
    folder = try TemporaryDirectory()
    let engine = StorageEngine(transport: transport, clocks: ImpatientClocks())
    let origin = Origin(scheme: .http, host: "127.0.0.1", port: server.port)
    storage = Storage(
      app: StorageApp(name: "test", options: options), bucket: "bucket", options: options, emulator: origin,
      engine: engine)
    storage.callbackQueue = queue
    queue.setSpecific(key: Self.queueKey, value: true)
    storage.maxDownloadRetryTime = 5
  }

  deinit {
    transport.shutdown()
    server.stop()
  }

  var object: StorageReference { storage.reference(withPath: "a") }

  func url(_ name: String) -> URL { URL(fileURLWithPath: folder.path(name)) }

  /// Starts a download that somebody follows from before its start, so that what is told does not depend on who is faster.
  func follow(_ task: StorageDownloadTask) -> (StorageDownloadTask, CourseRecorder) {
    let recorder = CourseRecorder(task)
    task.enqueue()
    return (task, recorder)
  }

  /// The media requests so far, as their `Range` fields; "" for none.
  var ranges: [String] { server.log.filter { $0.target.contains("alt=media") }.map { $0.fields["Range"] ?? "" } }

  /// Names in the test's folder that begin with a dot: what is not finished.
  func unfinished(in path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(path)).filter { $0.hasPrefix(".") }
  }
}

/// The real time, and dice that make the waits before retries short: 10 ms, 20 ms and so on.
private struct ImpatientClocks: Clocks {
  func monotonic() -> MonotonicInstant { SystemClocks().monotonic() }
  func utc() -> Timestamp { SystemClocks().utc() }
  func random() -> Double { 0.01 }
}

/// Everything that a task tells, in order.
final class CourseRecorder: Sendable {
  struct Event: Hashable, Sendable {
    var status: StorageTaskStatus
    var completed: Int64
    var total: Int64
    var code: Int?
  }

  private let told = Lock<[Event]>([])
  private let kept = Lock<[StorageTaskSnapshot]>([])

  /// Observes every status of the task.
  init(_ task: StorageDownloadTask) {
    for status in StorageTaskStatus.allCases {
      task.observe(status) { [weak self] in self?.note($0) }
    }
  }

  private func note(_ snapshot: StorageTaskSnapshot) {
    let event = Event(
      status: snapshot.status, completed: snapshot.progress?.completedUnitCount ?? -2,
      total: snapshot.progress?.totalUnitCount ?? -2, code: snapshot.error.map { ($0 as NSError).code })
    kept.withLock { $0.append(snapshot) }
    told.withLock { $0.append(event) }
  }

  var events: [Event] { told.withLock { $0 } }
  var snapshots: [StorageTaskSnapshot] { kept.withLock { $0 } }

  /// The kinds of the events, runs of `progress` as one.
  var course: [StorageTaskStatus] {
    events.reduce(into: []) { course, event in
      if event.status != .progress || course.last != .progress { course.append(event.status) }
    }
  }

  var endings: [Event] { events.filter { $0.status == .success || $0.status == .failure } }

  func wait(for status: StorageTaskStatus, count: Int = 1) async throws {
    try await waitUntil("\(count) × \(status)", timeout: .seconds(20), every: .milliseconds(2)) { () async -> Bool in
      events.count { $0.status == status } >= count
    }
  }

  func waitForEnd() async throws {
    try await waitUntil("the end", timeout: .seconds(20), every: .milliseconds(2)) { () async -> Bool in
      !endings.isEmpty
    }
  }
}

/// A number that several threads count up.
final class Tally: Sendable {
  private let number = Lock(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

extension Error {
  /// The raw value of a `StorageErrorCode`.
  var storageCode: Int { (self as NSError).code }
}
