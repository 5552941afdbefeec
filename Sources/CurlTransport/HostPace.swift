// How many exchanges one loop gives one host at a time, when nobody said: as many as pay. Pure; what was seen is handed in.
//
// Each loop decides for its own share. Loops that share a host may take a gain from each other; both end at the most then,
// which is bounded.

import TransferModel

/// Starts at `first`, doubles while that pays, falls to half when the host asks for less.
///
/// | at a review | and | then |
/// | --- | --- | --- |
/// | begun, or stepped | each place was used once | as it is: connections were made meanwhile |
/// | the last step did not pay | twice in a row, all places taken | back by that step; no other for 1 s, then 2, 4 … 32 s |
/// | below `first` | no complaint and no step for 1 s | a quarter more, up to `first` |
/// | all places taken, loop asleep half of the time | no complaint for 30 s | doubled, up to `most` |
/// | else | | as it is |
struct HostPace {
  /// What the loop saw of the host since the last review.
  struct Sight: Equatable {
    var elapsed: Duration
    /// How much of `elapsed` the loop slept: what is left is work for the processor, which more exchanges do not speed up.
    var asleep: Duration
    /// Exchanges that ended, with an answer.
    var ended: Int
    /// Body bytes received.
    var bytes: Int64
    /// Whether every place was taken, so that more could have run.
    var isFull: Bool
  }

  private static let shortestReview = Duration.milliseconds(50)
  /// A review waits this long for `roundsToTell`.
  private static let longestReview = Duration.seconds(2)
  /// A longer sight had a gap, and tells nothing of speed.
  private static let longestSight = Duration.seconds(4)
  /// How often each place must have been used for its rate to count. Answers come in bursts, as they were asked for.
  private static let roundsToTell = 2
  /// A step pays when it raises exchanges or bytes a second by this much.
  private static let gain = 1.1
  /// Doubled with each vain step in a row, up to `mostDoublings` times.
  private static let restAfterVainStep = Duration.seconds(1)
  private static let mostDoublings = 5
  private static let restAfterComplaint = Duration.seconds(30)
  private static let restBeforeRecovery = Duration.seconds(1)

  private struct Step {
    let from: Int
    let exchangesPerSecond: Double
    let bytesPerSecond: Double
    /// It did not pay when it was looked at first: one look may be wrong.
    var isDoubted = false
  }

  private(set) var first: Int
  let most: Int
  private(set) var width: Int
  /// Whether exchanges share connections (HTTP/2).
  private var isShared = false
  /// The sight does not count: new connections are being made.
  private var isSettling = true
  private var step: Step?
  private var vainSteps = 0
  private var complained: MonotonicInstant?
  private var noStepBefore: MonotonicInstant?

  init(first: Int, most: Int) {
    self.first = first
    self.most = max(first, most)
    width = first
  }

  /// The host's exchanges share connections from now on, so that a place costs it little: twice as many to start with.
  mutating func share() {
    guard !isShared else { return }
    isShared = true
    first = min(most, 2 * first)
    if complained == nil { width = max(width, first) }
  }

  /// The host answered 429 or 503, refused a connection or broke one off. The exchanges that were under way then bring
  /// more of the same: within a second it counts once.
  mutating func complain(at now: MonotonicInstant) {
    if let complained, now - complained < Self.restBeforeRecovery { return }
    complained = now
    step = nil
    width = max(1, width / 2)
  }

  /// False when too little was seen: the sight goes on.
  mutating func review(_ sight: Sight, at now: MonotonicInstant) -> Bool {
    let isLong = sight.elapsed >= Self.longestReview
    if isSettling {
      isSettling = sight.ended < width && !isLong
      return !isSettling
    }
    guard sight.elapsed >= Self.shortestReview, sight.ended >= Self.roundsToTell * width || isLong else { return false }
    if let step { judge(step, by: sight, at: now) }
    guard step == nil else { return true }
    guard noStepBefore.map({ $0 <= now }) ?? true else { return true }
    if width < first {
      guard isCalm(for: Self.restBeforeRecovery, at: now) else { return true }
      width = min(first, width + max(1, width / 4))
      noStepBefore = now + Self.restBeforeRecovery
    } else if mayGrow(sight, at: now) {
      step = Step(
        from: width, exchangesPerSecond: Double(sight.ended) / sight.elapsed.inSeconds,
        bytesPerSecond: Double(sight.bytes) / sight.elapsed.inSeconds)
      width = min(most, 2 * width)
      isSettling = true
    }
    return true
  }

  /// The step stays open when it is doubted for the first time.
  private mutating func judge(_ judged: Step, by sight: Sight, at now: MonotonicInstant) {
    step = nil
    guard sight.isFull, sight.elapsed <= Self.longestSight else { return }
    if Self.pays(sight, after: judged) {
      vainSteps = 0
    } else if judged.isDoubted {
      width = judged.from
      noStepBefore = now + Self.restAfterVainStep * (1 << min(vainSteps, Self.mostDoublings))
      vainSteps += 1
    } else {
      step = judged
      step?.isDoubted = true
    }
  }

  private func mayGrow(_ sight: Sight, at now: MonotonicInstant) -> Bool {
    width < most && sight.isFull && sight.asleep + sight.asleep >= sight.elapsed && (sight.ended > 0 || sight.bytes > 0)
      && sight.elapsed <= Self.longestSight && isCalm(for: Self.restAfterComplaint, at: now)
  }

  private func isCalm(for rest: Duration, at now: MonotonicInstant) -> Bool {
    complained.map { now - $0 >= rest } ?? true
  }

  private static func pays(_ sight: Sight, after step: Step) -> Bool {
    let seconds = sight.elapsed.inSeconds
    return Double(sight.ended) / seconds >= gain * max(step.exchangesPerSecond, .leastNonzeroMagnitude)
      || Double(sight.bytes) / seconds >= gain * max(step.bytesPerSecond, .leastNonzeroMagnitude)
  }
}
