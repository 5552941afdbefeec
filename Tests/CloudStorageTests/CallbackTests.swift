// Completions and cancellation: where, how often, and what they leave behind.

import CloudStorage
import Dispatch
import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@Suite("Callbacks")
struct CallbackTests {
  private static let key = DispatchSpecificKey<String>()

  /// Collects the results of every operation with a completion handler.
  private static func callAll(
    _ reference: StorageReference, pageToken: String, _ done: @escaping @Sendable (String, Bool) -> Void
  ) {
    let folder = reference.root()
    reference.getMetadata { done("getMetadata", $0 != nil && $1 == nil) }
    reference.getMetadata { done("getMetadata result", (try? $0.get()) != nil) }
    reference.downloadURL { done("downloadURL", $0 != nil && $1 == nil) }
    reference.downloadURL { done("downloadURL result", (try? $0.get()) != nil) }
    reference.updateMetadata(StorageMetadata()) { done("updateMetadata", $0 != nil && $1 == nil) }
    reference.updateMetadata(StorageMetadata()) { done("updateMetadata result", (try? $0.get()) != nil) }
    folder.listAll { done("listAll", $0 != nil && $1 == nil) }
    folder.listAll { done("listAll result", (try? $0.get()) != nil) }
    folder.list(maxResults: 5) { done("list", $0 != nil && $1 == nil) }
    folder.list(maxResults: 5) { done("list result", (try? $0.get()) != nil) }
    folder.list(maxResults: 5, pageToken: pageToken) { done("list page", $0 != nil && $1 == nil) }
    folder.list(maxResults: 5, pageToken: pageToken) { done("list page result", (try? $0.get()) != nil) }
  }

  private static let operations = 12

  @Test("every completion is called once, on the callback queue, and nothing need be held (P93)")
  func queue() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    emulator.objects.put(testBucket, "b", text: "hello")
    let calls = Collected<(name: String, isRight: Bool)>()
    do {
      let storage = Storage.at(emulator)
      let pageToken = try #require(try await storage.reference().list(maxResults: 1).pageToken)
      let queue = DispatchQueue(label: "mine")
      queue.setSpecific(key: Self.key, value: "mine")
      storage.callbackQueue = queue
      Self.callAll(storage.reference(withPath: "a"), pageToken: pageToken) { name, isRight in
        calls.add((name, isRight && DispatchQueue.getSpecific(key: Self.key) == "mine"))
      }
    }
    try await waitUntil(calls, count: Self.operations)
    #expect(calls.all.filter { !$0.isRight }.map(\.name).isEmpty)
    #expect(Set(calls.all.map(\.name)).count == Self.operations)
  }

  @Test("of value and error exactly one is given")
  func errors() async throws {
    let emulator = try StorageEmulator()
    try emulator.play("on bucket/** => status 403")
    let calls = Collected<(name: String, isRight: Bool)>()
    Self.callAll(Storage.at(emulator).reference(withPath: "a"), pageToken: "t") { calls.add(($0, $1)) }
    try await waitUntil(calls, count: Self.operations)
    #expect(calls.all.filter(\.isRight).map(\.name).isEmpty)
  }

  @Test("the default queue serves without a main run loop, one call at a time")
  func defaultQueue() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    let storage = Storage.at(emulator)
    #expect(storage.callbackQueue !== DispatchQueue.main)
    let inside = Collected<Int>()
    let depth = Lock(0)
    for _ in 0..<20 {
      storage.reference(withPath: "a").getMetadata { _, _ in
        inside.add(
          depth.withLock { depth in
            depth += 1
            return depth
          })
        depth.withLock { $0 -= 1 }
      }
    }
    try await waitUntil(inside, count: 20)
    #expect(inside.all.allSatisfy { $0 == 1 })
  }

  @Test("the error of an argument comes on the queue like any other, after the call has returned")
  func argumentError() async throws {
    let emulator = try StorageEmulator()
    let storage = Storage.at(emulator)
    let queue = DispatchQueue(label: "mine")
    storage.callbackQueue = queue
    let calls = Collected<StorageErrorCode?>()
    queue.sync {
      storage.reference().list(maxResults: 0) { _, error in calls.add((error as? StorageError)?.code) }
      #expect(calls.all.isEmpty)
    }
    try await waitUntil(calls, count: 1)
    #expect(calls.all == [.invalidArgument])
  }

  @Test("cancelling the task ends the request")
  func cancellation() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    try emulator.play("on bucket/** => delay 30s")
    let reference = Storage.at(emulator).reference(withPath: "a")
    let task = Task { try await reference.getMetadata() }
    while emulator.log.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: StorageError.cancelled) { _ = try await task.value }
  }

  @Test("I18: cancelling ends a wait between two attempts at once")
  func cancelledBackOff() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    try emulator.play("on bucket/** => status 503 retry-after 60")
    let reference = Storage.at(emulator).reference(withPath: "a")
    let task = Task { try await reference.getMetadata() }
    while emulator.log.last?.status == nil { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: StorageError.cancelled) { _ = try await task.value }
  }

  @Test("P94: the retry time is the caller's")
  func retryTime() async throws {
    for (limit, expected) in [(0.0, 1...1), (10, 2...100)] {
      let transport = ScriptedTransport([.fault(.connectionRefused)])
      let storage = Storage.scripted(transport)
      storage.maxOperationRetryTime = limit
      let reference = storage.reference(withPath: "a")
      let result = await driving(transport) { try await reference.getMetadata() }
      #expect(result.storageError?.code == .retryLimitExceeded)
      #expect(expected.contains(transport.requests.count), "\(transport.requests.count)")
    }
  }

  @Test("a retry time that is no time is none", arguments: [-1, Double.nan, -Double.infinity])
  func oddRetryTimes(limit: Double) async throws {
    let transport = ScriptedTransport([.fault(.connectionRefused)])
    let storage = Storage.scripted(transport)
    storage.maxOperationRetryTime = limit
    let reference = storage.reference(withPath: "a")
    _ = await driving(transport) { try await reference.getMetadata() }
    #expect(transport.requests.count == 1)
  }
}

/// Waits, for a second at most, until so many values are there, and a little longer for one too many.
private func waitUntil<Value>(_ collected: Collected<Value>, count: Int) async throws {
  for _ in 0..<1_000 where collected.all.count < count { try await Task.sleep(for: .milliseconds(1)) }
  try await Task.sleep(for: .milliseconds(10))
  #expect(collected.all.count == count)
}
