// The watchdog: its table row by row, and runs over a transport that forgets what it was asked.

import Credentials
import FileTransfer
import Glibc
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct WatchdogTests {
  private static let settings = Watchdog.Settings(patience: .seconds(100), tick: .seconds(1), grace: .seconds(20))

  private static func second(_ number: Int) -> MonotonicInstant { MonotonicInstant(sinceOrigin: .seconds(number)) }

  /// Looks once a second and gives the first verdict that is not calm, with its time.
  private func firstAlarm(
    _ watchdog: inout Watchdog, from start: Int, to end: Int, _ look: (Int) -> Watchdog.Look
  ) -> (at: Int, verdict: Watchdog.Verdict)? {
    for number in start..<end {
      let verdict = watchdog.judge(look(number), now: Self.second(number))
      if verdict != .calm { return (number, verdict) }
    }
    return nil
  }

  private func worker(_ activity: AttemptActivity, _ place: String = "http://a/x") -> WorkerState {
    WorkerState(loop: 0, place: place, activity: activity)
  }

  @Test func `P29 what moves is left alone`() {
    var watchdog = Watchdog(Self.settings)
    #expect(firstAlarm(&watchdog, from: 0, to: 10_000) { Watchdog.Look(moves: Int64($0 / 99), hasWork: true) } == nil)
  }

  @Test func `P29 without work nothing has to move`() {
    var watchdog = Watchdog(Self.settings)
    #expect(firstAlarm(&watchdog, from: 0, to: 10_000) { _ in Watchdog.Look(moves: 7, hasWork: false) } == nil)
  }

  @Test func `P29 after the patience workers are asked, and a failure names what each waits for`() throws {
    var watchdog = Watchdog(Self.settings)
    let asked = try #require(
      firstAlarm(&watchdog, from: 0, to: 200) { _ in Watchdog.Look(moves: 7, hasWork: true) })
    #expect(asked.at == 100)
    #expect(asked.verdict == .ask)
    let workers = [
      worker(.answer(since: Self.second(0), status: nil, bytes: 0)),
      worker(.answer(since: Self.second(0), status: 200, bytes: 512), "http://a/y"),
      worker(.ownWait(until: Self.second(40)), "http://a/z"), worker(.credential(since: Self.second(0)), "http://b/"),
    ]
    let verdict = watchdog.judge(
      Watchdog.Look(moves: 7, hasWork: true, workers: workers), now: Self.second(101))
    guard case .stuck(let failure) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(failure.reason == .internalError)
    #expect(
      failure.message
        == "nothing has moved for 101 s: http://a/x waits for an answer since 101 s; "
        + "http://a/y waits for more than 512 bytes of an answer 200, asked for 101 s ago; "
        + "http://a/z was to go on 61 s ago; http://b/ waits for a credential since 101 s")
  }

  @Test(arguments: [
    AttemptActivity.ownWait(until: MonotonicInstant(sinceOrigin: .seconds(500))),
    .answer(since: MonotonicInstant(sinceOrigin: .seconds(50)), status: nil, bytes: 0),
    .credential(since: MonotonicInstant(sinceOrigin: .seconds(50))),
  ])
  func `P29 a worker that is in time speaks for all`(_ activity: AttemptActivity) {
    var watchdog = Watchdog(Self.settings)
    let workers = [worker(.answer(since: Self.second(0), status: nil, bytes: 0)), worker(activity)]
    let look = Watchdog.Look(moves: 7, hasWork: true, workers: workers)
    #expect(firstAlarm(&watchdog, from: 0, to: 101) { _ in look }?.verdict == .ask)
    #expect(watchdog.judge(look, now: Self.second(101)) == .calm)
    // The patience begins anew.
    #expect(firstAlarm(&watchdog, from: 102, to: 201) { _ in look } == nil)
    #expect(firstAlarm(&watchdog, from: 201, to: 203) { _ in look }?.verdict == .ask)
  }

  @Test func `P29 a loop that does not answer is waited for ten seconds, and named`() throws {
    var watchdog = Watchdog(Self.settings)
    let look = Watchdog.Look(moves: 7, hasWork: true, silentLoops: [1])
    #expect(firstAlarm(&watchdog, from: 0, to: 101) { _ in look }?.verdict == .ask)
    let alarm = try #require(firstAlarm(&watchdog, from: 101, to: 200) { _ in look })
    #expect(alarm.at == 110)
    guard case .stuck(let failure) = alarm.verdict else {
      Issue.record("\(alarm.verdict)")
      return
    }
    #expect(failure.message.contains("transfer thread 1 does not answer"))
  }

  @Test func `P29 a run that does not end after it was stopped is hopeless`() throws {
    var watchdog = Watchdog(Self.settings)
    let look = Watchdog.Look(moves: 7, hasWork: true)
    #expect(firstAlarm(&watchdog, from: 0, to: 101) { _ in look }?.verdict == .ask)
    guard case .stuck? = firstAlarm(&watchdog, from: 101, to: 102, { _ in look })?.verdict else {
      Issue.record("not stuck")
      return
    }
    // What moves on the way to the end does not call it off.
    let alarm = firstAlarm(&watchdog, from: 102, to: 200) { Watchdog.Look(moves: Int64($0), hasWork: true) }
    #expect(alarm?.verdict == .hopeless)
    #expect(alarm?.at == 121)
  }

  @Test func `P29 an hour that the process was stopped is not an hour of stillness`() {
    var watchdog = Watchdog(Self.settings)
    let look = Watchdog.Look(moves: 7, hasWork: true)
    #expect(firstAlarm(&watchdog, from: 0, to: 50) { _ in look } == nil)
    #expect(firstAlarm(&watchdog, from: 3_650, to: 3_690) { _ in look } == nil)
  }

  @Test(arguments: [
    (connect: 10, idle: 30, patience: 180), (connect: 10, idle: 120, patience: 320),
    (connect: 0, idle: 0, patience: 180),
  ])
  func `P29 the patience outlasts every attempt`(connect: Int, idle: Int, patience: Int) {
    let timeouts = TransferTimeouts(connect: .seconds(connect), idle: .seconds(idle))
    #expect(Watchdog.Settings(longest: [TransferTimeouts(), timeouts]).patience == .seconds(patience))
    #expect(Watchdog.Settings(longest: []).patience == .seconds(180))
  }

  // MARK: Whole runs

  private static let impatient = Watchdog.Settings(
    patience: .milliseconds(200), tick: .milliseconds(20), grace: .milliseconds(200))

  private func run(
    _ transport: ForgetfulTransport, giveUp: @escaping @Sendable (TransferFailure) -> Void = { _ in }
  ) async throws -> (result: RunResult, failures: [TransferFailure], outcomes: [EntryOutcome]) {
    let root = try TemporaryDirectory(on: .memory)
    let items = try ["x", "y"].map {
      Item(references: [.web(try HTTPURL(parsing: "http://a.test/\($0)"))], destination: try RelativePath($0))
    }
    var options = RunOptions(manifestDirectory: "", manifestPath: "m.yaml", manifestDigest: nil, version: "test")
    let failures = Lock<[TransferFailure]>([])
    let outcomes = Lock<[EntryOutcome]>([])
    options.complain = { failure in failures.withLock { $0.append(failure) } }
    options.watchdog = Self.impatient
    options.giveUp = giveUp
    let nothing: @Sendable (String) -> String? = { _ in nil }
    let run = MirrorRun(
      Manifest(root: root.path("out"), items: ItemList(items), trees: []), options: options,
      environment: RunEnvironment(
        transport: transport, clocks: RealClocks(), lookUp: nothing, secrets: SecretReader(environment: nothing),
        host: "test", pause: { _ in false }))
    let result = try await run.apply { batch in outcomes.withLock { $0 += batch } }
    return (result, failures.withLock { $0 }, outcomes.withLock { $0 })
  }

  @Test func `P29 exchanges that never end become a failure that names them, and the run ends`() async throws {
    let (result, failures, outcomes) = try await run(ForgetfulTransport())
    #expect(result.status == .internalError)
    #expect(outcomes.map(\.outcome) == [.interrupted, .interrupted])
    let message = failures.first?.message ?? ""
    for name in ["x", "y"] {
      #expect(message.contains("http://a.test/\(name) waits for an answer since"), "\(message)")
    }
  }

  @Test func `P29 a transfer thread that hangs is named, and given up`() async throws {
    let wasGivenUp = Lock<TransferFailure?>(nil)
    let transport = ForgetfulTransport(hangs: true)
    let (result, _, _) = try await run(transport) { failure in
      wasGivenUp.withLock { $0 = failure }
      // The real one ends the process here.
      transport.letGo()
    }
    #expect(wasGivenUp.withLock { $0 }?.message.contains("transfer thread 0 does not answer") == true)
    #expect(result.status == .internalError)
  }
}

private struct RealClocks: Clocks {
  func monotonic() -> MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }

  func utc() -> Timestamp { Timestamp(seconds: 1_767_225_600) }
  func random() -> Double { 0.5 }
}
