// Storages for tests: against the emulator, and against a script in virtual time.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import TransferModel

/// The bucket of every test that names none.
let testBucket = "bucket"

extension Storage {
  /// A storage of its own app, over the transport that the process shares.
  static func at(
    _ emulator: StorageEmulator, bucket: String = testBucket, options: StorageOptions = .quiet()
  ) -> Storage {
    Storage(
      app: StorageApp(name: "test", options: options), bucket: bucket, options: options,
      emulator: Origin(scheme: .http, host: "127.0.0.1", port: emulator.port))
  }

  /// A storage whose server is a script; nil = the real service's address.
  static func scripted(
    _ transport: ScriptedTransport, origin: Origin? = nil, bucket: String = testBucket,
    options: StorageOptions = .quiet()
  ) -> Storage {
    Storage(
      app: StorageApp(name: "test", options: options), bucket: bucket, options: options, emulator: origin,
      engine: StorageEngine(transport: transport, clocks: ManualClocks()))
  }
}

extension StorageOptions {
  /// Whose warnings go nowhere.
  static func quiet(tokens: (any StorageTokenProviding)? = nil) -> StorageOptions {
    StorageOptions(tokens: tokens, onWarning: { _ in })
  }
}

/// Lets a script's time run while `operation` waits for it.
func driving<Value: Sendable>(
  _ transport: ScriptedTransport, _ operation: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
  let isDone = Lock(false)
  let driver = Task {
    while !isDone.withLock({ $0 }) {
      transport.drive()
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
  let result: Result<Value, any Error>
  do {
    result = .success(try await operation())
  } catch {
    result = .failure(error)
  }
  isDone.withLock { $0 = true }
  await driver.value
  return result
}

/// The error of an operation that must fail.
func storageError<Value: Sendable>(
  _ operation: @Sendable () async throws -> Value
) async throws -> StorageError {
  do {
    _ = try await operation()
  } catch let error as StorageError {
    return error
  }
  throw DidNotFail()
}

/// The same for an operation that does not wait.
func storageError<Value>(_ operation: () throws -> Value) throws -> StorageError {
  do {
    _ = try operation()
  } catch let error as StorageError {
    return error
  }
  throw DidNotFail()
}

struct DidNotFail: Error {}

extension Result {
  /// nil on success.
  var storageError: StorageError? {
    guard case .failure(let error) = self else { return nil }
    return error as? StorageError
  }
}

/// A provider that gives one token after the other and counts.
final class CountingTokens: StorageTokenProviding, StorageAppCheckProviding {
  private let state: Lock<(tokens: [String], refreshes: Int, calls: Int)>

  init(_ tokens: String...) { state = Lock((tokens, 0, 0)) }

  var refreshes: Int { state.withLock { $0.refreshes } }
  var calls: Int { state.withLock { $0.calls } }

  func idToken(forcingRefresh: Bool) async throws -> String? {
    state.withLock { state in
      state.calls += 1
      if forcingRefresh {
        state.refreshes += 1
        if state.tokens.count > 1 { state.tokens.removeFirst() }
      }
      return state.tokens.first
    }
  }

  func appCheckToken(forcingRefresh: Bool) async throws -> String? {
    try await idToken(forcingRefresh: forcingRefresh)
  }

  func signOut() { state.withLock { $0.tokens = [] } }
}

/// A provider that has none to give.
struct FailingTokens: StorageTokenProviding, StorageAppCheckProviding {
  func idToken(forcingRefresh: Bool) async throws -> String? { throw Self.failure }
  func appCheckToken(forcingRefresh: Bool) async throws -> String? { throw Self.failure }
  static var failure: NSError { NSError(domain: "FIRAuthErrorDomain", code: 17_020) }
}

/// Collects what is reported from any thread.
final class Collected<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])
  var all: [Value] { values.withLock { $0 } }
  func add(_ value: Value) { values.withLock { $0.append(value) } }
}
