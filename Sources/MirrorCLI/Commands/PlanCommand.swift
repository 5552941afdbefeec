// `mirror plan`, and `mirror apply -n`: says what apply would do.

import MirrorEngine
import MirrorPlan
import TransferModel

struct PlanCommand {
  private let survey: SurveyOptions
  private let talkOptions: TalkOptions
  private let writesJSON: Bool
  private let hasDetailedExitCode: Bool
  private let talk: Talk

  init(_ options: PlanOptions) {
    survey = options.survey
    talkOptions = options.talk
    writesJSON = options.writesJSON
    hasDetailedExitCode = options.hasDetailedExitCode
    talk = Talk(process: options.talk)
  }

  /// The dry run of `apply`: the same plan, in the same words.
  init(_ options: ApplyOptions) {
    survey = options.survey
    talkOptions = options.talk
    writesJSON = false
    hasDetailedExitCode = options.hasDetailedExitCode
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    switch ManifestCommand.load(survey, talk, talkOptions.verbosity) {
    case .refused(let status): return status
    case .loaded(let loaded, let manifest):
      do {
        return try await plan(loaded, manifest)
      } catch let refusal as RunRefusal {
        return talk.refuse(refusal)
      }
    }
  }

  private func plan(_ loaded: LoadedManifest, _ manifest: Manifest) async throws -> Int32 {
    let environment = try RunEnvironment.process(
      jobs: manifest.jobs(survey), perHost: manifest.limits.perHost,
      hosts: manifest.hostConnections(in: loaded.directory))
    let run = MirrorRun(
      manifest, options: ManifestCommand.options(survey, loaded, talk), environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    let header = PlanHeader(
      version: MirrorProgram.version, manifestPath: loaded.name, manifestDigest: loaded.digest,
      made: environment.clocks.utc())
    let printer = PlanPrinter(json: writesJSON ? header : nil, verbose: talkOptions.verbosity == .verbose)
    let display = ProgressTask(run.progress, talk, environment.clocks)
    try await run.plan { rows in await printer.print(rows) }
    await display.end()
    environment.transport.shutdown()
    if case .signal(let number)? = run.control.stop { await printer.interrupt(number) }
    return try await printer.finish(detailed: hasDetailedExitCode)
  }
}

/// Prints rows as they are decided, and remembers what the exit status depends on.
private actor PlanPrinter {
  private let text: PlanText
  private var document: PlanDocument?
  private var totals = PlanTotals()
  private var tally = ExitTally()
  private var failure: OutputFailure?

  init(json header: PlanHeader?, verbose: Bool) {
    text = PlanText(verbose: verbose)
    document = header.map { PlanDocument($0) { try Output.results.write($0[...]) } }
  }

  func print(_ rows: [PlannedEntry]) {
    guard failure == nil else { return }
    var lines = ""
    for row in rows {
      totals.add(row)
      if let failure = row.failure { tally.add(failure) }
      if document == nil {
        lines += text.lines(for: row) ?? ""
      } else {
        attempt { try document?.append(row) }
      }
    }
    attempt { if !lines.isEmpty { try Output.results.write(lines) } }
  }

  func interrupt(_ number: Int32) { tally.add(number == 2 ? .interrupted : .terminated, "signal") }

  func finish(detailed: Bool) throws -> Int32 {
    attempt {
      if document == nil { try Output.results.write(text.summary(of: totals)) } else { try document?.finish() }
    }
    if let failure { throw failure }
    return tally.status(hasChanges: totals.hasChanges, detailed: detailed).rawValue
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      failure = failure ?? error as? OutputFailure ?? .failed(5)
    }
  }
}
