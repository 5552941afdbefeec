// Waiting for a real server or process; never for our own code, which is given its time.

import Foundation

/// A condition that did not come true in time.
package struct WaitTimedOut: Error, CustomStringConvertible {
  package var what: String
  package var timeout: Duration
  package var description: String { "still not so after \(timeout): \(what)" }
}

/// Asks every few milliseconds until the condition holds.
/// - Throws: `WaitTimedOut` when it does not hold in time, and what the condition throws.
package func waitUntil(
  _ what: String, timeout: Duration = .seconds(5), every pause: Duration = .milliseconds(5),
  _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + timeout
  while try !condition() {
    guard ContinuousClock.now < end else { throw WaitTimedOut(what: what, timeout: timeout) }
    Thread.sleep(forTimeInterval: Double(pause.components.attoseconds) * 1e-18 + Double(pause.components.seconds))
  }
}

/// The same without holding a thread.
package func waitUntil(
  _ what: String, timeout: Duration = .seconds(5), every pause: Duration = .milliseconds(5),
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + timeout
  while try await !condition() {
    guard ContinuousClock.now < end else { throw WaitTimedOut(what: what, timeout: timeout) }
    try await Task.sleep(for: pause)
  }
}

/// Runs blocking work on a thread of its own, so that the few threads that run tasks stay free.
package func onOwnThread<Answer: Sendable>(
  _ work: @escaping @Sendable () throws -> Answer
) async throws -> Answer {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}
