// The life of one download task as a value: events in, actions out. Nothing is done here, and no clock or thread is known.
// Who is told about it is `ObserverRegistry`; who does it is `StorageDownloadTask`.

/// What a task is doing, and what its transfer is known to be doing, which may lag behind.
///
/// | state | status | `enqueue` | `resume` | `pause` | `cancel` |
/// | --- | --- | --- | --- | --- | --- |
/// | unknown | unknown | queueing | resuming ¹ | paused ² | cancelled ³ |
/// | queueing | resume | – | resuming ¹ | paused ² | cancelled ³ |
/// | running | resume | – | – | pausing | cancelling |
/// | pausing | pause | – | resuming ² ¹ | – | cancelling |
/// | paused | pause | – | resuming ¹ | – | cancelling, cancelled ³ without a transfer |
/// | resuming | resume | – | – | pausing, paused ² at rest | cancelling, cancelled ³ without a transfer |
/// | cancelling | failure | – | – | – | – |
/// | success, failed, cancelled | success, failure | – | – | – | – |
///
/// ¹ reports `resume`; ² reports `pause`; ³ reports `failure`. `–` changes nothing and reports nothing.
///
/// The transfer thread does not receive orders, which could overtake each other: whenever something has changed it `look`s
/// and is told the one step that brings the transfer nearer to the state.
///
/// | state | transfer | step |
/// | --- | --- | --- |
/// | queueing, resuming | none | begin → running; from queueing reports `resume` |
/// | resuming, running | halted | proceed → running |
/// | resuming | active | (never stopped) → running |
/// | pausing | active | halt |
/// | cancelling | active, halting, halted | abandon |
/// | any | otherwise | none |
///
/// | what the transfer tells | in state | effect |
/// | --- | --- | --- |
/// | received | running, resuming | reports `progress` |
/// | received | any other | ignored |
/// | halted | pausing | paused, reports `pause` |
/// | halted | resuming, running, cancelling | look again |
/// | ended | cancelling | cancelled, reports `failure` |
/// | ended well | running, pausing, resuming | success: the last `progress` unless it was told already, then `success` |
/// | ended badly | running, pausing, resuming | failed: as above with `failure` |
/// | ended | before it has begun | failed, for what is refused without a request |
/// | anything | success, failed, cancelled | ignored |
struct DownloadTaskMachine: Sendable {
  enum State: Hashable, Sendable, CaseIterable {
    case unknown, queueing, running, pausing, paused, resuming
    /// `cancel()` was called and the transfer has not let go of the file yet.
    case cancelling
    case success, failed, cancelled
  }

  /// What the transfer thread was last told to do, or told.
  enum Transfer: Hashable, Sendable {
    case none, active, halting, halted, over
  }

  enum Event: Hashable, Sendable {
    case enqueue, pause, resume, cancel
    /// The transfer thread asks what to do.
    case look
    case received(TransferCounts)
    /// Nothing more comes; so many bytes are kept.
    case halted(at: Int64)
    /// nil = all bytes are there, that many.
    case ended(StorageError?, TransferCounts)
  }

  enum Action: Hashable, Sendable {
    /// Have the transfer thread look.
    case askForLook
    /// For the transfer thread, in answer to its `look` only.
    case step(Step)
    /// Tell observers of that status. `success` and `failure` are told once, last.
    case report(StorageTaskStatus)
  }

  enum Step: Hashable, Sendable {
    case begin, halt, proceed, abandon
  }

  private(set) var state = State.unknown
  private(set) var transfer = Transfer.none
  private(set) var counts = TransferCounts()
  /// Why the task has failed, or will be said to have.
  private(set) var error: StorageError?
  private var reportedCounts: TransferCounts?

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .enqueue: enqueue()
    case .pause: pause()
    case .resume: resume()
    case .cancel: cancel()
    case .look: look()
    case .received(let counts): received(counts)
    case .halted(let position): halted(at: position)
    case .ended(let error, let counts): ended(error, counts)
    }
  }

  // MARK: What is asked for

  private mutating func enqueue() -> [Action] {
    guard state == .unknown else { return [] }
    state = .queueing
    return [.askForLook]
  }

  private mutating func pause() -> [Action] {
    switch state {
    case .unknown, .queueing:
      state = .paused
      return [.report(.pause)]
    case .resuming where transfer == .none || transfer == .halted:
      state = .paused
      return [.report(.pause)]
    case .running, .resuming:
      state = .pausing
      return [.askForLook]
    case .pausing, .paused, .cancelling, .success, .failed, .cancelled:
      return []
    }
  }

  private mutating func resume() -> [Action] {
    switch state {
    case .unknown, .queueing, .paused:
      state = .resuming
      return [.report(.resume), .askForLook]
    case .pausing:
      // The pause was asked for and is not reached any more; both are told, so that they come in pairs.
      state = .resuming
      return [.report(.pause), .report(.resume), .askForLook]
    case .running, .resuming, .cancelling, .success, .failed, .cancelled:
      return []
    }
  }

  private mutating func cancel() -> [Action] {
    guard !isOver, state != .cancelling else { return [] }
    error = .cancelled
    guard transfer == .none else {
      state = .cancelling
      return [.askForLook]
    }
    state = .cancelled
    transfer = .over
    return [.report(.failure)]
  }

  // MARK: What the transfer thread asks and tells

  private mutating func look() -> [Action] {
    switch (state, transfer) {
    case (.queueing, .none), (.resuming, .none):
      let isStart = state == .queueing
      (state, transfer) = (.running, .active)
      return (isStart ? [.report(.resume)] : []) + [.step(.begin)]
    case (.resuming, .halted), (.running, .halted):
      (state, transfer) = (.running, .active)
      return [.step(.proceed)]
    case (.resuming, .active):
      state = .running
      return []
    case (.pausing, .active):
      transfer = .halting
      return [.step(.halt)]
    case (.cancelling, .active), (.cancelling, .halting), (.cancelling, .halted):
      return [.step(.abandon)]
    default:
      return []
    }
  }

  private mutating func received(_ counts: TransferCounts) -> [Action] {
    guard state == .running || state == .resuming else { return [] }
    self.counts = counts
    return report(counts)
  }

  private mutating func halted(at position: Int64) -> [Action] {
    guard transfer == .halting else { return [] }
    transfer = .halted
    counts.completed = position
    guard state == .pausing else { return [.askForLook] }
    state = .paused
    return [.report(.pause)]
  }

  private mutating func ended(_ error: StorageError?, _ counts: TransferCounts) -> [Action] {
    guard !isOver else { return [] }
    transfer = .over
    guard state != .cancelling else {
      state = .cancelled
      return [.report(.failure)]
    }
    self.counts = counts
    self.error = error
    state = error == nil ? .success : .failed
    let last = reportedCounts == counts ? [] : report(counts)
    return last + [.report(error == nil ? .success : .failure)]
  }

  private mutating func report(_ counts: TransferCounts) -> [Action] {
    reportedCounts = counts
    return [.report(.progress)]
  }
}

extension DownloadTaskMachine {
  /// Whether the terminal event has been reported.
  var isOver: Bool { state == .success || state == .failed || state == .cancelled }

  /// Whether the task must live on although nobody holds it: something is under way, and its end is due to somebody.
  var isUnderWay: Bool {
    switch state {
    case .queueing, .running, .pausing, .resuming, .cancelling: true
    case .unknown, .paused, .success, .failed, .cancelled: false
    }
  }

  var status: StorageTaskStatus {
    switch state {
    case .unknown: .unknown
    case .queueing, .running, .resuming: .resume
    case .pausing, .paused: .pause
    case .success: .success
    case .cancelling, .failed, .cancelled: .failure
    }
  }

  /// Whether an observer that registers now has missed the event of that status, as long as the state that it announced
  /// lasts. `pausing` and `cancelling` are not told: their event is still to come.
  func isAlready(_ status: StorageTaskStatus) -> Bool {
    switch status {
    case .unknown: false
    case .resume: state == .running || state == .resuming
    case .progress: state == .running
    case .pause: state == .paused
    case .success: state == .success
    case .failure: state == .failed || state == .cancelled
    }
  }
}
