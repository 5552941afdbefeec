// `mirror lock`: writes what everything is now into the lock file.

import MirrorEngine
import MirrorPlan
import TransferModel

struct LockCommand {
  private let options: LockOptions
  private let talk: Talk

  init(_ options: LockOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async -> Int32 {
    switch ManifestCommand.load(options.survey.manifest, root: options.survey.root, talk, options.talk.verbosity) {
    case .refused(let status): return status
    case .loaded(let loaded, let manifest):
      do {
        return try await lock(loaded, manifest)
      } catch {
        return talk.refuse(error)
      }
    }
  }

  private func lock(_ loaded: LoadedManifest, _ manifest: Manifest) async throws(RunRefusal) -> Int32 {
    let environment = try RunEnvironment.process(
      manifest.parallelism(options.survey), hosts: manifest.hostConnections(in: loaded.directory))
    var runOptions = ManifestCommand.options(options.survey, loaded, talk)
    runOptions.lockPath = LockLoading.path(of: loaded)
    let run = MirrorRun(manifest, options: runOptions, environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    let display = ProgressTask(run.progress, talk, environment.clocks)
    let result = try await run.lock()
    await display.end()
    environment.transport.shutdown()
    if let note = result.note {
      talk.say(LogEvent(level: .info, event: "locked", message: note))
      return ExitStatus.done.rawValue
    }
    var tally = ExitTally()
    for (place, failure) in result.failures {
      tally.add(failure)
      talk.say(
        LogEvent(
          level: .error, event: "not_locked",
          message: "\(TerminalText.escape(place)): \(failure.message) [\(failure.reason.rawValue)]", hint: failure.hint)
      )
    }
    if case .signal(let number)? = run.control.stop { return 128 + number }
    talk.say(
      LogEvent(
        level: .error, event: "refused",
        message: "the lock file was left as it is, because \(result.failures.count) entries could not be locked"))
    return tally.status().rawValue
  }
}
