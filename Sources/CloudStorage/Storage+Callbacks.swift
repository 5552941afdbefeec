// The bridge from async operations to completion handlers.

import Dispatch

extension Storage {
  /// Runs an operation and hands its result to `completion` once, on the callback queue as it is now.
  func perform<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let queue = callbackQueue
    Task {
      let result: Result<Value, any Error>
      do {
        result = .success(try await operation())
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
  }
}
