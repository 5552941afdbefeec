// `mirror plan`, and `mirror apply -n`: says what apply would do.

import LocalFiles
import MirrorEngine
import MirrorPlan
import TransferModel

struct PlanCommand {
  private let survey: SurveyOptions
  private let talkOptions: TalkOptions
  private let writesJSON: Bool
  private let output: FileOrStream?
  private let hasDetailedExitCode: Bool
  private let isOffline: Bool
  private let shards: Int?
  private let talk: Talk

  init(_ options: PlanOptions) {
    survey = options.survey
    talkOptions = options.talk
    writesJSON = options.writesJSON
    output = options.output
    hasDetailedExitCode = options.hasDetailedExitCode
    isOffline = options.isOffline
    shards = options.shards
    talk = Talk(process: options.talk)
  }

  /// The dry run of `apply`: the same plan, in the same words.
  init(_ options: ApplyOptions) {
    survey = options.survey
    talkOptions = options.talk
    writesJSON = false
    output = nil
    hasDetailedExitCode = options.hasDetailedExitCode
    isOffline = false
    shards = nil
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    guard !isOffline || output == nil else {
      let failure = TransferFailure(
        .invalidRequest, .permanent, "--offline and --output do not go together",
        hint: "a plan that is to be applied stands on what the servers say; leave out --offline")
      return talk.refuse(RunRefusal(status: .usage, failure: failure))
    }
    return try await ManifestCommand.run(survey, talk, talkOptions.verbosity, plan)
  }

  private func plan(_ loaded: LoadedManifest, _ manifest: Manifest) async throws -> Int32 {
    let environment = try RunEnvironment.process(
      manifest.parallelism(survey), hosts: manifest.hostConnections(in: loaded.directory))
    var options = ManifestCommand.options(survey, loaded, talk)
    options.lock = try LockLoading.policy(survey.lock, loaded)
    options.asksServers = !isOffline
    options.shard = try survey.shard?.shard()
    let run = MirrorRun(manifest, options: options, environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    let header = PlanHeader(
      version: MirrorProgram.version, manifestPath: loaded.name, manifestDigest: loaded.digest,
      root: run.rootIdentity, made: environment.clocks.utc())
    let printer = try PlanPrinter(
      header, json: writesJSON, output: output, verbose: talkOptions.verbosity == .verbose, shards: shards)
    let display = ProgressTask(run.progress, talk, environment.clocks)
    try await run.plan { rows in await printer.print(rows) }
    await display.end()
    environment.transport.shutdown()
    if case .signal(let number)? = run.control.stop { await printer.interrupt(number) }
    return try await printer.finish(detailed: hasDetailedExitCode)
  }
}

/// Prints rows as they are decided, writes them to the plan file, and remembers what the exit status depends on.
private actor PlanPrinter {
  private let text: PlanText
  /// What standard output gets in place of lines.
  private var printed: PlanDocument?
  private var written: PlanDocument?
  /// What is printed in place of the plan; nil = the plan is.
  private var shards: ShardTotals?
  private let writesJSON: Bool
  private let file: AtomicDocument?
  private var totals = PlanTotals()
  private var tally = ExitTally()
  private var failure: (any Error)?
  private var isInterrupted = false

  init(
    _ header: PlanHeader, json: Bool, output: FileOrStream?, verbose: Bool, shards: Int?
  ) throws(TransferFailure) {
    text = PlanText(verbose: verbose)
    self.shards = shards.map { ShardTotals(count: $0) }
    writesJSON = json
    var file: AtomicDocument?
    if case .file(let path)? = output { file = try AtomicDocument(path) }
    self.file = file
    if shards == nil, json || output == .standardStream {
      printed = PlanDocument(header) { try Output.results.write($0[...]) }
    }
    if let file { written = PlanDocument(header) { try file.append($0) } }
  }

  func print(_ rows: [(row: PlannedEntry, facts: PlanFacts?)]) {
    guard failure == nil else { return }
    var lines = ""
    for (row, facts) in rows {
      totals.add(row)
      if let failure = row.failure, !row.isNotLookedUp { tally.add(failure) }
      attempt { try written?.append(row, facts: facts) }
      if shards != nil {
        shards?.add(row)
      } else if printed == nil {
        lines += text.lines(for: row) ?? ""
      } else {
        attempt { try printed?.append(row, facts: facts) }
      }
    }
    attempt { if !lines.isEmpty { try Output.results.write(lines) } }
  }

  /// A plan that was cut short is not put in place: done, it would refuse the rest.
  func interrupt(_ number: Int32) {
    isInterrupted = true
    tally.add(number == 2 ? .interrupted : .terminated, "signal")
  }

  func finish(detailed: Bool) throws -> Int32 {
    attempt {
      if let shards {
        try Output.results.write(writesJSON ? shards.json[...] : Array(shards.text.utf8)[...])
      } else if printed == nil {
        try Output.results.write(text.summary(of: totals))
      } else {
        try printed?.finish()
      }
    }
    attempt {
      guard !isInterrupted else { return }
      try written?.finish()
      try file?.publish()
    }
    if let failure { throw failure }
    return tally.status(hasChanges: totals.hasChanges, detailed: detailed).rawValue
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      failure = failure ?? error
    }
  }
}
