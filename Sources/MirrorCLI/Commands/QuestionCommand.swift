// What the commands that ask about one place in a bucket have in common: the wiring, the signals, the exit status.

import MirrorEngine
import MirrorPlan
import TransferModel

enum QuestionCommand {
  /// Asks, and gives the exit status. `ask` prints what it learns; it is cancelled by the first signal.
  static func run(
    _ options: some Questioning & Sendable,
    _ ask: @escaping @Sendable (StorageQuestion) async throws -> Void
  ) async throws -> Int32 {
    let talk = Talk(process: options.talk)
    let environment: RunEnvironment
    let question: StorageQuestion
    do throws(RunRefusal) {
      environment = try RunEnvironment.process(Parallelism(transfers: 1, perHost: concurrency))
      question = try make(options.question, environment)
    } catch {
      return talk.refuse(error)
    }
    defer { environment.transport.shutdown() }
    let control = RunControl()
    let work = Task { try await ask(question) }
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
    _ options: QuestionOptions, _ environment: RunEnvironment
  ) throws(RunRefusal) -> StorageQuestion {
    let storage = StorageSettings(bucket: options.bucket, api: options.api ?? .firebase, emulator: options.emulator)
    let reference: Reference
    do {
      reference = try Reference(parsing: options.reference, storage: storage)
    } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent, error.message,
          hint: error.isLackOfBucket ? "Name the bucket: --bucket NAME, or gs://NAME/…" : error.hint))
    }
    return try StorageQuestion(
      reference, storage: storage, retryBudget: options.retryBudget, environment: environment)
  }
}
