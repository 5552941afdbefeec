// `mirror explain`: why one entry is decided as it is.

import MirrorEngine
import MirrorPlan
import TransferModel

struct ExplainCommand {
  private let options: ExplainOptions
  private let talk: Talk

  init(_ options: ExplainOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    try await ManifestCommand.run(options.survey, talk, options.talk.verbosity, explain)
  }

  private func explain(_ loaded: LoadedManifest, _ manifest: Manifest) async throws -> Int32 {
    let environment = try RunEnvironment.process(
      Parallelism(transfers: 1, perHost: 1), hosts: manifest.hostConnections(in: loaded.directory))
    defer { environment.transport.shutdown() }
    var runOptions = ManifestCommand.options(options.survey, loaded, talk)
    runOptions.lock = try LockLoading.policy(options.survey.lock, loaded)
    let run = MirrorRun(manifest, options: runOptions, environment: environment)
    SignalWatch.start { run.control.stop(.signal($0)) }
    guard let destination = options.destination else { return ExitStatus.usage.rawValue }
    let explanation = try await run.explain(destination)
    if case .signal(let number)? = run.control.stop { return 128 + number }
    if options.writesJSON {
      try Output.results.write(explanation.json[...])
    } else {
      try Output.results.write(explanation.text)
    }
    return ExitStatus.done.rawValue
  }
}
