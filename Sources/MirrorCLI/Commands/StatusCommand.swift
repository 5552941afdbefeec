// `mirror status`: how the last runs went, and what is stale.

import MirrorEngine
import MirrorPlan
import TransferModel

struct StatusCommand {
  private let options: StatusOptions
  private let talk: Talk

  init(_ options: StatusOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() throws -> Int32 {
    var survey = SurveyOptions()
    survey.manifest = options.manifest
    survey.root = options.root
    switch ManifestCommand.load(survey.manifest, root: survey.root, talk, options.talk.verbosity) {
    case .refused(let status): return status
    case .loaded(let loaded, let manifest):
      do {
        let environment = try RunEnvironment.process(Parallelism(transfers: 1, perHost: 1))
        defer { environment.transport.shutdown() }
        let run = MirrorRun(
          manifest, options: ManifestCommand.options(survey, loaded, talk), environment: environment)
        let report = try run.status()
        if options.writesJSON {
          try Output.results.write(report.json[...])
        } else {
          try Output.results.write(report.text(verbose: options.talk.verbosity == .verbose))
        }
        return ExitStatus.done.rawValue
      } catch let refusal as RunRefusal {
        return talk.refuse(refusal)
      }
    }
  }
}
