// The life of a task as a table: events in, actions out. Sheet 11.1 to 11.3, rows J and K as far as they need no server.

import TestSupport
import Testing

@testable import CloudStorage

private typealias Machine = DownloadTaskMachine

/// Brings a machine into a state; the second value says what its transfer is doing.
private func machine(_ state: Machine.State, _ transfer: Machine.Transfer? = nil) -> Machine {
  var machine = Machine()
  let path: [Machine.Event] =
    switch (state, transfer) {
    case (.unknown, _): []
    case (.queueing, _): [.enqueue]
    case (.running, _): [.enqueue, .look]
    case (.pausing, .active?), (.pausing, nil): [.enqueue, .look, .pause]
    case (.pausing, _): [.enqueue, .look, .pause, .look]
    case (.paused, .halted?), (.paused, nil): [.enqueue, .look, .pause, .look, .halted(at: 5)]
    case (.paused, _): [.enqueue, .pause]
    case (.resuming, .halted?): [.enqueue, .look, .pause, .look, .halted(at: 5), .resume]
    case (.resuming, .active?): [.enqueue, .look, .pause, .resume]
    case (.resuming, .halting?): [.enqueue, .look, .pause, .look, .resume]
    case (.resuming, _): [.enqueue, .pause, .resume]
    case (.cancelling, .halted?): [.enqueue, .look, .pause, .look, .halted(at: 5), .cancel]
    case (.cancelling, _): [.enqueue, .look, .cancel]
    case (.success, _): [.enqueue, .look, .ended(nil, TransferCounts(completed: 11, total: 11))]
    case (.failed, _): [.enqueue, .look, .ended(.internalError(message: ""), TransferCounts())]
    case (.cancelled, _): [.enqueue, .cancel]
    }
  for event in path { _ = machine.handle(event) }
  return machine
}

struct TransitionRow: Sendable, CustomTestStringConvertible {
  var state: DownloadTaskMachine.State
  var transfer: DownloadTaskMachine.Transfer?
  var event: DownloadTaskMachine.Event
  var after: DownloadTaskMachine.State
  var actions: [DownloadTaskMachine.Action]

  init(
    _ state: DownloadTaskMachine.State, _ event: DownloadTaskMachine.Event, _ after: DownloadTaskMachine.State,
    _ actions: [DownloadTaskMachine.Action]
  ) {
    (self.state, self.event, self.after, self.actions) = (state, event, after, actions)
  }

  init(
    _ state: DownloadTaskMachine.State, _ transfer: DownloadTaskMachine.Transfer,
    _ event: DownloadTaskMachine.Event, _ after: DownloadTaskMachine.State, _ actions: [DownloadTaskMachine.Action]
  ) {
    self.init(state, event, after, actions)
    self.transfer = transfer
  }

  var testDescription: String { "\(state)\(transfer.map { " (\($0))" } ?? ""), \(event) → \(after)" }
}

private let counts = TransferCounts(completed: 5, total: 11)
private let whole = TransferCounts(completed: 11, total: 11)
private let broken = StorageError.internalError(message: "x")

@Suite("The life of a download task")
struct TasksMachineTests {
  static let asked: [TransitionRow] = [
    TransitionRow(.unknown, .enqueue, .queueing, [.askForLook]),
    TransitionRow(.queueing, .enqueue, .queueing, []),
    TransitionRow(.running, .enqueue, .running, []),
    TransitionRow(.paused, .enqueue, .paused, []),
    TransitionRow(.success, .enqueue, .success, []),

    TransitionRow(.unknown, .pause, .paused, [.report(.pause)]),
    TransitionRow(.queueing, .pause, .paused, [.report(.pause)]),
    TransitionRow(.running, .pause, .pausing, [.askForLook]),
    TransitionRow(.pausing, .pause, .pausing, []),
    TransitionRow(.paused, .pause, .paused, []),
    TransitionRow(.resuming, Machine.Transfer.none, .pause, .paused, [.report(.pause)]),
    TransitionRow(.resuming, .halted, .pause, .paused, [.report(.pause)]),
    TransitionRow(.resuming, .active, .pause, .pausing, [.askForLook]),
    TransitionRow(.resuming, .halting, .pause, .pausing, [.askForLook]),
    TransitionRow(.cancelling, .pause, .cancelling, []),

    TransitionRow(.unknown, .resume, .resuming, [.report(.resume), .askForLook]),
    TransitionRow(.queueing, .resume, .resuming, [.report(.resume), .askForLook]),
    TransitionRow(.running, .resume, .running, []),
    TransitionRow(.pausing, .resume, .resuming, [.report(.pause), .report(.resume), .askForLook]),
    TransitionRow(.paused, .resume, .resuming, [.report(.resume), .askForLook]),
    TransitionRow(.paused, Machine.Transfer.none, .resume, .resuming, [.report(.resume), .askForLook]),
    TransitionRow(.resuming, .resume, .resuming, []),
    TransitionRow(.cancelling, .resume, .cancelling, []),

    TransitionRow(.unknown, .cancel, .cancelled, [.report(.failure)]),
    TransitionRow(.queueing, .cancel, .cancelled, [.report(.failure)]),
    TransitionRow(.running, .cancel, .cancelling, [.askForLook]),
    TransitionRow(.pausing, .cancel, .cancelling, [.askForLook]),
    TransitionRow(.paused, .cancel, .cancelling, [.askForLook]),
    TransitionRow(.paused, Machine.Transfer.none, .cancel, .cancelled, [.report(.failure)]),
    TransitionRow(.resuming, .halted, .cancel, .cancelling, [.askForLook]),
    TransitionRow(.resuming, Machine.Transfer.none, .cancel, .cancelled, [.report(.failure)]),
    TransitionRow(.cancelling, .cancel, .cancelling, []),
  ]

  static let looked: [TransitionRow] = [
    TransitionRow(.unknown, .look, .unknown, []),
    TransitionRow(.queueing, .look, .running, [.report(.resume), .step(.begin)]),
    TransitionRow(.resuming, Machine.Transfer.none, .look, .running, [.step(.begin)]),
    TransitionRow(.resuming, .halted, .look, .running, [.step(.proceed)]),
    TransitionRow(.resuming, .active, .look, .running, []),
    TransitionRow(.resuming, .halting, .look, .resuming, []),
    TransitionRow(.running, .look, .running, []),
    TransitionRow(.pausing, .active, .look, .pausing, [.step(.halt)]),
    TransitionRow(.pausing, .halting, .look, .pausing, []),
    TransitionRow(.paused, .look, .paused, []),
    TransitionRow(.paused, Machine.Transfer.none, .look, .paused, []),
    TransitionRow(.cancelling, .look, .cancelling, [.step(.abandon)]),
    TransitionRow(.cancelling, .halted, .look, .cancelling, [.step(.abandon)]),
    TransitionRow(.success, .look, .success, []),
    TransitionRow(.cancelled, .look, .cancelled, []),
  ]

  static let told: [TransitionRow] = [
    TransitionRow(.running, .received(counts), .running, [.report(.progress)]),
    TransitionRow(.resuming, .active, .received(counts), .resuming, [.report(.progress)]),
    TransitionRow(.pausing, .received(counts), .pausing, []),
    TransitionRow(.paused, .received(counts), .paused, []),
    TransitionRow(.cancelling, .received(counts), .cancelling, []),
    TransitionRow(.success, .received(counts), .success, []),

    TransitionRow(.pausing, .halting, .halted(at: 5), .paused, [.report(.pause)]),
    TransitionRow(.resuming, .halting, .halted(at: 5), .resuming, [.askForLook]),
    TransitionRow(.running, .halted(at: 5), .running, []),

    TransitionRow(.running, .ended(nil, whole), .success, [.report(.progress), .report(.success)]),
    TransitionRow(.pausing, .ended(nil, whole), .success, [.report(.progress), .report(.success)]),
    TransitionRow(.resuming, .active, .ended(nil, whole), .success, [.report(.progress), .report(.success)]),
    TransitionRow(.running, .ended(broken, counts), .failed, [.report(.progress), .report(.failure)]),
    TransitionRow(.pausing, .ended(broken, counts), .failed, [.report(.progress), .report(.failure)]),
    TransitionRow(.unknown, .ended(broken, counts), .failed, [.report(.progress), .report(.failure)]),
    TransitionRow(.cancelling, .ended(nil, whole), .cancelled, [.report(.failure)]),
    TransitionRow(.cancelling, .ended(broken, counts), .cancelled, [.report(.failure)]),
    TransitionRow(.cancelled, .ended(nil, whole), .cancelled, []),
    TransitionRow(.success, .ended(broken, counts), .success, []),
  ]

  @Test("every row of the transition tables", arguments: asked + looked + told)
  func transition(row: TransitionRow) {
    var task = machine(row.state, row.transfer)
    #expect(task.state == row.state)
    if let transfer = row.transfer { #expect(task.transfer == transfer) }
    let actions = task.handle(row.event)
    #expect(actions == row.actions)
    #expect(task.state == row.after)
  }

  @Test("J08 J09: nothing changes a task that is over", arguments: [Machine.State.success, .failed, .cancelled])
  func over(state: DownloadTaskMachine.State) {
    var task = machine(state)
    let events: [Machine.Event] = [
      .enqueue, .pause, .resume, .cancel, .look, .received(counts), .halted(at: 1), .ended(nil, whole),
      .ended(broken, counts),
    ]
    for event in events {
      let actions = task.handle(event)
      #expect(actions.isEmpty)
      #expect(task.state == state)
    }
    #expect(task.isOver && !task.isUnderWay)
  }

  @Test(
    "J17: what state has what status",
    arguments: zip(
      Machine.State.allCases,
      [
        StorageTaskStatus.unknown, .resume, .resume, .pause, .pause, .resume, .failure, .success, .failure, .failure,
      ]))
  func status(state: DownloadTaskMachine.State, status: StorageTaskStatus) {
    #expect(machine(state).status == status)
  }

  @Test("J18: the raw values of the statuses")
  func rawValues() {
    #expect(StorageTaskStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    #expect(StorageTaskStatus(rawValue: 2) == .progress && StorageTaskStatus(rawValue: 5) == .failure)
    #expect(StorageTaskStatus(rawValue: 6) == nil)
  }

  @Test("the last progress is not told twice")
  func lastProgress() {
    var task = machine(.running)
    let first = task.handle(.received(whole)), second = task.handle(.ended(nil, whole))
    #expect(first == [.report(.progress)] && second == [.report(.success)])
  }

  @Test("a pause tells how many bytes are kept, and the error of a cancellation is `cancelled`")
  func facts() {
    #expect(machine(.paused).counts.completed == 5)
    #expect(machine(.cancelling).error == .cancelled)
    #expect(machine(.failed).error == .internalError(message: ""))
    #expect(machine(.success).error == nil)
  }

  @Test("J20 P93: a task lives by itself as long as something is under way")
  func underWay() {
    let states = Machine.State.allCases.filter { machine($0).isUnderWay }
    #expect(states == [.queueing, .running, .pausing, .resuming, .cancelling])
  }

  @Test("whatever comes, in whatever order: at most one end, and nothing is left hanging", arguments: 0..<20)
  func interleavings(seed: UInt64) {
    var dice = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var task = Machine()
      var ends = 0
      for _ in 0..<30 {
        let events: [Machine.Event] = [
          .enqueue, .pause, .resume, .cancel, .look, .look, .received(counts),
          task.transfer == .halting ? .halted(at: 3) : .look,
          task.transfer == .active ? .ended(nil, whole) : .look,
        ]
        guard let event = events.randomElement(using: &dice) else { continue }
        for action in task.handle(event) where action == .report(.success) || action == .report(.failure) { ends += 1 }
      }
      // Let it go on by itself.
      _ = task.handle(.resume)
      for _ in 0..<6 {
        for action in task.handle(.look) where action == .report(.failure) { ends += 1 }
        let answer: Machine.Event =
          task.transfer == .halting ? .halted(at: 3) : task.transfer == .none ? .look : .ended(nil, whole)
        for action in task.handle(answer) where action == .report(.success) || action == .report(.failure) { ends += 1 }
      }
      #expect(task.isOver && ends == 1)
    }
  }
}
