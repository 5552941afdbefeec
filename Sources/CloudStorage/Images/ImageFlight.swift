// One load that several askers may share, and what each of them waits for.

import Foundation
import TransferModel

/// Somebody who waits for an image. The first answer counts, whether it comes before or after the waiting begins.
final class ImageAsker: Sendable {
  typealias Answer = Result<StorageImage, any Error>

  private struct State {
    var answer: Answer?
    var waiter: CheckedContinuation<Answer, Never>?
  }

  private let state = Lock(State())
  let onProgress: (@Sendable (Progress) -> Void)?

  init(onProgress: (@Sendable (Progress) -> Void)?) { self.onProgress = onProgress }

  var isAnswered: Bool { state.withLock { $0.answer != nil } }

  /// Without effect after the first.
  func answer(_ answer: Answer) {
    let waiter = state.withLock { state in
      guard state.answer == nil else { return nil as CheckedContinuation<Answer, Never>? }
      state.answer = answer
      return state.waiter.take()
    }
    waiter?.resume(returning: answer)
  }

  /// To be called once.
  func wait() async -> Answer {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state in
        if state.answer == nil { state.waiter = continuation }
        return state.answer
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}

/// A load under way.
struct ImageFlight: Sendable {
  /// Tells this one from an earlier one of the same key.
  let number: UInt64
  var askers: [ImageAsker]
  /// nil for the moment between being noted and being started.
  var work: Task<Void, Never>?
}

/// What is shared: the same bytes, for the same limit, found in the same way.
struct ImageFlightKey: Hashable, Sendable {
  var key: String
  var maxSize: Int64
  /// The version that has to come; nil = whatever is there.
  var generation: Int64?
}
