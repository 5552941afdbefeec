// What the commands that ask about one place in a bucket have in common: the wiring, the signals, the exit status.

import MirrorEngine
import MirrorPlan
import TransferModel

enum QuestionCommand {
  /// What a reference leads to.
  private enum Question: Sendable {
    case object(StorageQuestion)
    case link(LinkQuestion)
  }

  /// Asks, and gives the exit status. `ask` prints what it learns; it is cancelled by the first signal. `askLink` does the
  /// same for a plain URL; nil = the command knows no plain URLs.
  ///
  /// - Parameter changesObjects: whether Google's tokens must allow that.
  static func run(
    _ options: some Questioning & Sendable, changesObjects: Bool = false,
    askLink: (@Sendable (LinkQuestion) async throws -> Void)? = nil,
    ask: @escaping @Sendable (StorageQuestion) async throws -> Void
  ) async throws -> Int32 {
    let talk = Talk(process: options.talk)
    guard var chosen = ChosenAccess(options.question, talk, options.talk.verbosity) else {
      return ExitStatus.usage.rawValue
    }
    chosen.access.changesObjects = changesObjects
    let environment: RunEnvironment
    let question: Question
    do throws(RunRefusal) {
      environment = try RunEnvironment.process(Parallelism(transfers: 1, perHost: concurrency), hosts: chosen.hosts)
      question = try make(options.question, chosen.access, environment, knowsLinks: askLink != nil)
    } catch {
      return talk.refuse(error)
    }
    defer { environment.transport.shutdown() }
    let control = RunControl()
    let work = Task {
      switch question {
      case .object(let question): try await ask(question)
      case .link(let question): try await askLink?(question)
      }
    }
    SignalWatch.start { control.stop(.signal($0)) }
    control.onStop { _ in work.cancel() }
    do {
      try await work.value
      return ExitStatus.done.rawValue
    } catch let failure as TransferFailure {
      if case .signal(let number)? = control.stop { return 128 + number }
      return talk.refuse(
        RunRefusal(status: ExitStatus.contribution(of: failure) ?? .failedForGood, failure: failure))
    }
  }

  /// Requests at the same time, where a command has several.
  static let concurrency = 16

  private static func make(
    _ options: QuestionOptions, _ access: ServiceAccess, _ environment: RunEnvironment, knowsLinks: Bool
  ) throws(RunRefusal) -> Question {
    let reference: Reference
    do {
      reference = try Reference(parsing: options.reference, storage: access.storage)
    } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent, error.message,
          hint: error.isLackOfBucket ? "Name the bucket: --bucket NAME, or gs://NAME/…" : error.hint))
    }
    if knowsLinks, case .web(let url) = reference {
      return .link(try LinkQuestion(url, access: access, retryBudget: options.retryBudget, environment: environment))
    }
    return .object(
      try StorageQuestion(
        reference, access: access, retryBudget: options.retryBudget, environment: environment))
  }
}
