// `mirror apply`: makes the local tree equal to what the manifest wants.

import CurlTransport
import LocalFiles
import MirrorEngine
import MirrorPlan
import TransferModel

struct ApplyCommand {
  private let options: ApplyOptions
  private let talk: Talk

  init(_ options: ApplyOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    if options.isDryRun { return try await PlanCommand(options).run() }
    return try await ManifestCommand.run(options.survey, talk, options.talk.verbosity, apply)
  }

  /// The written plan; nil when none was named.
  private func plan() throws(RunRefusal) -> PlanFile? {
    guard let path = options.plan else { return nil }
    let bytes: [UInt8]
    do { bytes = try WholeFile.read(path, limit: ByteCount(4 << 30)) } catch {
      throw RunRefusal(status: .usage, failure: error)
    }
    do { return try PlanReader.read(bytes) } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .unexpectedContent, .permanent, "\(path) is no plan: \(error)",
          hint: "Write one with `mirror plan -o FILE`."))
    }
  }

  private func apply(_ loaded: LoadedManifest, _ manifest: Manifest) async throws -> Int32 {
    let environment = try RunEnvironment.process(
      manifest.parallelism(options.survey), hosts: manifest.hostConnections(in: loaded.directory))
    var runOptions = ManifestCommand.options(options.survey, loaded, talk)
    runOptions.lock = try LockLoading.policy(options.survey.lock, loaded)
    runOptions.lockPath = LockLoading.path(of: loaded)
    runOptions.plan = try plan()
    runOptions.shard = try options.survey.shard?.shard()
    if runOptions.shard != nil, case .update = runOptions.lock {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent, "a shard cannot write the lock file, which names everything",
          hint: "Leave out --update-lock, and run `mirror lock` when all shards have ended."))
    }
    runOptions.fetches = options.fetches
    runOptions.durable = options.isDurable
    runOptions.failFast = options.failsFast
    runOptions.tellsOfChanges = !options.skipsChangeHook
    runOptions.lockWait = options.lockWait
    runOptions.maximumDuration = options.maximumDuration
    runOptions.budget = TransferBudget.Limits(bytes: options.maximumBytes, transfers: options.maximumTransfers)
    runOptions.giveUp = LastWord.giveUp
    switch options.report {
    case .file(let path)?: runOptions.reportPath = path
    case .standardStream?: runOptions.reportStream = { try Output.results.write($0[...]) }
    case nil: break
    }
    let run = MirrorRun(manifest, options: runOptions, environment: environment)
    SignalWatch.start { [talk] number in
      talk.say(LogEvent(level: .warning, event: "signal", message: SignalWatch.sentence(number)))
      run.control.stop(.signal(number))
    }
    let display = ProgressTask(run.progress, talk, environment.clocks)
    let result = try await run.apply(detailed: options.hasDetailedExitCode) { [talk] outcomes in
      talk.say(outcomes)
    }
    await display.end()
    environment.transport.shutdown()
    if options.talk.verbosity != .quiet { talk.conclude(result) }
    return result.status.rawValue
  }
}

extension Talk {
  convenience init(process options: TalkOptions) {
    self.init(
      options: options, terminal: TerminalTraits(descriptor: 2, environment: ProcessEnvironment.value),
      clocks: SystemClocks())
  }

  /// The last words of a run.
  func conclude(_ result: RunResult) {
    var text = result.summary
    if text.last == "\n" { text.removeLast() }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      say(LogEvent(level: .info, event: "summary", message: String(line)))
    }
    if let note = result.publishNote { say(LogEvent(level: .info, event: "publish", message: note)) }
    if let note = result.changeNote { say(LogEvent(level: .info, event: "on_change", message: note)) }
    if let note = result.lockNote { say(LogEvent(level: .info, event: "lock", message: note)) }
    if let path = result.reportPath {
      say(LogEvent(level: .info, event: "report", message: "Report: \(path)"))
    }
  }
}

extension Talk {
  /// How entries ended. Nothing is put together of what is not said.
  func say(_ outcomes: [EntryOutcome]) {
    let saysAll = options.verbosity == .verbose
    for place in outcomes.indices where saysAll || outcomes[place].isComplaint { say(LogEvent(outcomes[place])) }
  }
}

extension EntryOutcome {
  /// Whether people are told where it happens.
  fileprivate var isComplaint: Bool { failure != nil && outcome != .skipped && outcome != .interrupted }
}

extension LogEvent {
  /// One entry's end: failures are errors where they happen, the rest is for `-v`.
  init(_ outcome: EntryOutcome) {
    let failure = outcome.failure
    let isFailure = outcome.isComplaint
    self.init(
      level: isFailure ? .error : .detail, event: "item",
      message: "\(outcome.outcome.rawValue) \(outcome.destination)"
        + (failure.map { ": \($0.message) [\($0.reason.rawValue)]" } ?? ""),
      hint: isFailure ? failure?.hint : nil)
    facts = [
      Fact(name: "destination", value: .text(outcome.destination)),
      Fact(name: "outcome", value: .text(outcome.outcome.rawValue)),
      Fact(name: "reason", value: .text(outcome.reason.text)), Fact(name: "bytes", value: .integer(outcome.bytes)),
    ]
  }
}
