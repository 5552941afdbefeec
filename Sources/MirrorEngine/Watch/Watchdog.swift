// Whether a run that does not move is stuck: pure. `WatchdogThread` looks and acts.
// Not the time-outs of transfers: those end what the network does to us. This is for what must not happen, a worker that
// nobody will ever wake.

package import FileTransfer
package import TransferModel

/// What one worker of the pool waits for.
package struct WorkerState: Hashable, Sendable {
  package var loop: Int
  /// What is transferred, without secrets.
  package var place: String
  package var activity: AttemptActivity

  package init(loop: Int, place: String, activity: AttemptActivity) {
    self.loop = loop
    self.place = place
    self.activity = activity
  }
}

/// A state machine of looks, one a tick.
///
/// | phase | what is seen | verdict | next phase |
/// | --- | --- | --- | --- |
/// | watching | no work, or something moved | `calm` | watching, from now |
/// | watching | still for less than `patience` | `calm` | watching |
/// | watching | still for `patience` | `ask` | asked |
/// | asked | no work, or something moved | `calm` | watching, from now |
/// | asked | every loop answered, and a worker is in time | `calm` | watching, from now |
/// | asked | every loop answered, and no worker is in time | `stuck` | stopped |
/// | asked | some loop is silent, for less than `patienceWithLoops` | `calm` | asked |
/// | asked | some loop is silent for longer | `stuck` | stopped |
/// | stopped | for less than `grace` | `calm` | stopped |
/// | stopped | for `grace`: not even the end comes | `hopeless` | stopped |
///
/// Time is what the looks add up to, each at most two ticks: a process that was stopped for an hour has not been still for
/// an hour.
package struct Watchdog: Sendable {
  package struct Settings: Hashable, Sendable {
    /// How long nothing may move before workers are asked.
    package var patience: Duration
    /// Between two looks.
    package var tick: Duration
    /// How long the run may take to end once it was stopped.
    package var grace: Duration

    package init(patience: Duration, tick: Duration = .seconds(1), grace: Duration = .seconds(60)) {
      self.patience = patience
      self.tick = tick
      self.grace = grace
    }

    /// Longer than any attempt can go without a sign of life: three minutes, or twice its time-outs and a minute.
    package init(longest timeouts: some Sequence<TransferTimeouts>) {
      let longest = timeouts.map { $0.connect + $0.idle }.max() ?? .zero
      self.init(patience: max(.seconds(180), longest * 2 + .seconds(60)))
    }
  }

  /// One look at the pool.
  package struct Look: Hashable, Sendable {
    /// Grows with all that happens: jobs that begin and end, bytes that come.
    package var moves: Int64
    /// Whether the pool has anything to do that nobody is busy with elsewhere.
    package var hasWork: Bool
    /// What workers said since they were asked.
    package var workers: [WorkerState]
    /// Loops that were asked and have said nothing.
    package var silentLoops: Set<Int>

    package init(moves: Int64, hasWork: Bool, workers: [WorkerState] = [], silentLoops: Set<Int> = []) {
      self.moves = moves
      self.hasWork = hasWork
      self.workers = workers
      self.silentLoops = silentLoops
    }
  }

  package enum Verdict: Hashable, Sendable {
    case calm
    /// Ask every loop what its workers wait for.
    case ask
    /// Stop the run, with this failure.
    case stuck(TransferFailure)
    /// End the process.
    case hopeless
  }

  private enum Phase { case watching, asked, stopped }

  /// How long a loop may take to say what it does.
  static let patienceWithLoops = Duration.seconds(10)

  private let settings: Settings
  private var phase = Phase.watching
  private var moves: Int64 = -1
  private var lastLook: MonotonicInstant?
  private var still = Duration.zero
  private var inPhase = Duration.zero

  package init(_ settings: Settings) { self.settings = settings }

  package mutating func judge(_ look: Look, now: MonotonicInstant) -> Verdict {
    let passed = min(lastLook.map { now - $0 } ?? .zero, settings.tick * 2)
    lastLook = now
    still += passed
    inPhase += passed
    if phase == .stopped { return inPhase < settings.grace ? .calm : .hopeless }
    if look.moves != moves || !look.hasWork {
      moves = look.moves
      return calmDown()
    }
    switch phase {
    case .watching:
      guard still >= settings.patience else { return .calm }
      enter(.asked)
      return .ask
    case .asked:
      if look.silentLoops.isEmpty {
        if look.workers.contains(where: { $0.activity.isInTime(bound: settings.patience, now: now) }) {
          return calmDown()
        }
      } else if inPhase < min(Self.patienceWithLoops, settings.patience) {
        return .calm
      }
      enter(.stopped)
      return .stuck(failure(look, now))
    case .stopped: return .calm
    }
  }

  private mutating func calmDown() -> Verdict {
    still = .zero
    enter(.watching)
    return .calm
  }

  private mutating func enter(_ next: Phase) {
    phase = next
    inPhase = .zero
  }

  private static let namedWorkers = 8

  /// Names what every worker waits for, the first few of many.
  private func failure(_ look: Look, _ now: MonotonicInstant) -> TransferFailure {
    var waits = look.silentLoops.sorted().map { "transfer thread \($0) does not answer" }
    waits += look.workers.prefix(Self.namedWorkers).map { "\($0.place) \($0.activity.words(now: now))" }
    if look.workers.count > Self.namedWorkers { waits.append("\(look.workers.count - Self.namedWorkers) more") }
    if look.workers.isEmpty, look.silentLoops.isEmpty { waits.append("no transfer runs, though some are due") }
    return TransferFailure(
      .internalError, .permanent,
      "nothing has moved for \(Int(still.inSeconds.rounded())) s: \(waits.joined(separator: "; "))",
      hint: "This is a fault of mirror's or of a disk that does not answer. Run again; what is in place is whole.")
  }
}
