// Time that stands still until a test moves it.

package import TransferModel

/// Clocks that only `advance` moves, and random numbers from a seed or from a list.
package final class ManualClocks: Clocks {
  private struct State {
    var elapsed: Duration = .zero
    var start: Timestamp
    var generator: SplitMix64
    var scripted: [Double]
  }

  private let state: Lock<State>

  /// - Parameters:
  ///   - start: the time of day at the beginning; 2026-01-01T00:00:00Z when left out.
  ///   - scripted: what `random` answers first, each within [0, 1); after that the generator answers.
  package init(start: Timestamp = Timestamp(seconds: 1_767_225_600), seed: UInt64 = 1, scripted: [Double] = []) {
    state = Lock(State(start: start, generator: SplitMix64(seed: seed), scripted: scripted.reversed()))
  }

  /// Moves both clocks forward.
  package func advance(by duration: Duration) {
    state.withLock { $0.elapsed += duration }
  }

  /// Sets the time of day and leaves the monotonic clock alone, as an administrator does.
  package func setTimeOfDay(_ time: Timestamp) {
    state.withLock { state in
      state.start = Self.add(.zero - state.elapsed, to: time)
    }
  }

  package func monotonic() -> MonotonicInstant {
    state.withLock { MonotonicInstant(sinceOrigin: $0.elapsed) }
  }

  package func utc() -> Timestamp {
    state.withLock { Self.add($0.elapsed, to: $0.start) }
  }

  package func random() -> Double {
    state.withLock { state in
      state.scripted.popLast() ?? Double.random(in: 0..<1, using: &state.generator)
    }
  }

  private static func add(_ duration: Duration, to time: Timestamp) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int64(time.nanoseconds) + attoseconds / 1_000_000_000
    // Nanoseconds may be negative here, when the duration is.
    let carry = nanoseconds >= 0 ? nanoseconds / 1_000_000_000 : (nanoseconds - 999_999_999) / 1_000_000_000
    return Timestamp(
      seconds: time.seconds + seconds + carry, nanoseconds: Int32(nanoseconds - carry * 1_000_000_000))
  }
}
