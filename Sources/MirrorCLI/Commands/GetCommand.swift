// `mirror get`: one object, by the same engine.

import MirrorEngine
import MirrorPlan
import TransferModel

struct GetCommand {
  private let options: GetOptions
  private let talk: Talk

  init(_ options: GetOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() async -> Int32 {
    let order: SingleGet
    let environment: RunEnvironment
    guard let chosen = ChosenAccess(options.question, talk, options.talk.verbosity) else {
      return ExitStatus.usage.rawValue
    }
    do {
      order = try makeOrder(chosen.access)
      environment = try RunEnvironment.process(
        Parallelism(transfers: RangePolicy().streams, perHost: RangePolicy().streams), loops: 1, hosts: chosen.hosts)
    } catch {
      return talk.refuse(error)
    }
    let control = RunControl()
    SignalWatch.start { control.stop(.signal($0)) }
    let progress = RunProgress()
    let display = ProgressTask(progress, talk, environment.clocks)
    let result = await order.run(environment, control: control, progress: progress)
    await display.end()
    environment.transport.shutdown()
    switch result {
    case .success(let summary):
      talk.say(LogEvent(level: .info, event: "done", message: summary))
      return ExitStatus.done.rawValue
    case .failure(let refusal):
      if case .signal(let number)? = control.stop { return 128 + number }
      return talk.refuse(refusal)
    }
  }

  private func makeOrder(_ access: ServiceAccess) throws(RunRefusal) -> SingleGet {
    let reference: Reference
    do {
      reference = try Reference(parsing: options.question.reference, storage: access.storage)
    } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(.invalidRequest, .permanent, error.message, hint: error.hint))
    }
    var order = SingleGet(reference: reference, access: access)
    order.maximumSize = options.maximumSize
    order.sha256 = options.sha256
    order.retryBudget = options.question.retryBudget
    switch options.destination {
    case .standardStream?: order.destination = .standardOutput
    case .file(let path)?: order.destination = .file(path)
    case nil: break
    }
    return order
  }
}
