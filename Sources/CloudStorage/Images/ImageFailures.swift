// What is known not to be there: a value.

import TransferModel

/// Errors that say that asking again is of no use for a while.
struct ImageFailures: Sendable {
  /// How long they are believed, in seconds.
  let age: Int64
  /// How many are kept; the oldest go first.
  static let limit = 1_000

  private var failures: [String: (error: StorageError, notedAt: Int64)] = [:]

  init(age: Int64) { self.age = age }

  /// Only an object, a bucket or a project that does not exist is worth remembering; anything else may pass.
  static func isWorthNoting(_ error: StorageError) -> Bool {
    switch error.code {
    case .objectNotFound, .bucketNotFound, .projectNotFound: true
    default: false
    }
  }

  mutating func note(_ error: StorageError, for key: String, now: Int64) {
    guard Self.isWorthNoting(error) else { return }
    failures[key] = (error, now)
    guard failures.count > Self.limit, let oldest = failures.min(by: { $0.value.notedAt < $1.value.notedAt }) else {
      return
    }
    failures[oldest.key] = nil
  }

  mutating func error(for key: String, now: Int64) -> StorageError? {
    guard let failure = failures[key] else { return nil }
    guard now - failure.notedAt <= age else {
      failures[key] = nil
      return nil
    }
    return failure.error
  }

  mutating func forget(_ key: String) { failures[key] = nil }
  mutating func removeAll() { failures = [:] }
}
