// `mirror verify`: reads the local tree again; no network, unless what is wrong is to be repaired.

import MirrorEngine
import MirrorPlan
import TransferModel

struct VerifyCommand {
  private let options: VerifyOptions
  private let talk: Talk

  init(_ options: VerifyOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    try await ManifestCommand.run(options.survey, talk, options.talk.verbosity, verify)
  }

  private func verify(_ loaded: LoadedManifest, _ manifest: Manifest) async throws -> Int32 {
    let lock = try LockLoading.optional(loaded)
    let environment = try RunEnvironment.process(
      manifest.parallelism(options.survey), hosts: manifest.hostConnections(in: loaded.directory))
    defer { environment.transport.shutdown() }
    var runOptions = ManifestCommand.options(options.survey, loaded, talk)
    runOptions.lockWait = options.lockWait
    let run = MirrorRun(manifest, options: runOptions, environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    let printer = VerifyPrinter(
      root: run.rootIdentity, json: options.writesJSON, verbose: options.talk.verbosity == .verbose)
    let display = ProgressTask(run.progress, talk, environment.clocks)
    let result = try await run.verify(
      lock: lock, maximumAge: options.maximumAge, readers: options.survey.jobs ?? SystemProcessors.count,
      forgetsFaults: options.repairs
    ) { findings in await printer.print(findings) }
    await display.end()
    try await printer.finish(result, saysSummary: options.talk.verbosity != .quiet)
    if case .signal(let number)? = run.control.stop { return 128 + number }
    guard options.repairs, !result.faults.isEmpty else { return result.tally.status().rawValue }
    return try await repair(result, lock, manifest, runOptions, environment)
  }

  /// Fetches what is wrong or missing, as it is locked where it is locked, and nothing else.
  private func repair(
    _ found: VerifyResult, _ lock: LockFile?, _ manifest: Manifest, _ runOptions: RunOptions,
    _ environment: RunEnvironment
  ) async throws -> Int32 {
    var runOptions = runOptions
    runOptions.selection = Set(found.faults)
    if let lock { runOptions.lock = .frozen(lock) }
    let run = MirrorRun(manifest, options: runOptions, environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    let display = ProgressTask(run.progress, talk, environment.clocks)
    let result = try await run.apply { [talk] outcomes in
      talk.say(outcomes)
    }
    await display.end()
    if options.talk.verbosity != .quiet { talk.conclude(result) }
    var tally = ExitTally()
    tally.add(result.status, "repair")
    let rest = found.totals.faults - result.totals.all
    if rest > 0 {
      tally.add(.failedForGood, "not_repaired")
      talk.say(
        LogEvent(
          level: .error, event: "not_repaired",
          message: "\(rest) of the files that are wrong are not in the manifest, and were left as they are"))
    }
    return tally.status().rawValue
  }
}

/// Prints findings as they come.
private actor VerifyPrinter {
  private var document: VerifyDocument?
  private let verbose: Bool
  private var failure: (any Error)?

  init(root: String, json: Bool, verbose: Bool) {
    self.verbose = verbose
    document = json ? VerifyDocument(root: root, verbose: verbose) { try Output.results.write($0[...]) } : nil
  }

  func print(_ findings: [VerifyFinding]) {
    attempt {
      if document == nil {
        let lines = findings.compactMap { $0.line(verbose: verbose) }.joined()
        if !lines.isEmpty { try Output.results.write(lines) }
      } else {
        for finding in findings { try document?.append(finding) }
      }
    }
  }

  func finish(_ result: VerifyResult, saysSummary: Bool) throws {
    attempt {
      if document != nil {
        try document?.finish(isComplete: result.isComplete)
      } else if saysSummary {
        try Output.results.write(result.totals.summary)
      }
    }
    if let failure { throw failure }
  }

  private func attempt(_ body: () throws -> Void) {
    guard failure == nil else { return }
    do {
      try body()
    } catch {
      failure = error
    }
  }
}
