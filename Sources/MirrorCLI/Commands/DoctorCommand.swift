// `mirror doctor`: looks at what a run would need, and says what is wrong.

import MirrorEngine
import MirrorPlan
import TransferModel

struct DoctorCommand {
  private let options: DoctorOptions
  private let talk: Talk

  init(_ options: DoctorOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async throws -> Int32 {
    var survey = SurveyOptions()
    survey.manifest = options.manifest
    survey.root = options.root
    switch ManifestCommand.load(survey.manifest, root: survey.root, talk, options.talk.verbosity) {
    case .refused(let status): return status
    case .loaded(let loaded, let manifest):
      do {
        let environment = try RunEnvironment.process(
          Parallelism(transfers: 4, perHost: 4), hosts: manifest.hostConnections(in: loaded.directory))
        defer { environment.transport.shutdown() }
        SignalWatch.start { SignalWatch.endProcess($0) }
        let doctor = Doctor(
          manifest, options: ManifestCommand.options(survey, loaded, talk), environment: environment)
        let findings = await doctor.examine()
        try Output.results.write(options.writesJSON ? DoctorText.json(findings) : DoctorText.text(findings))
        return DoctorText.status(of: findings).rawValue
      } catch let refusal as RunRefusal {
        return talk.refuse(refusal)
      }
    }
  }
}
