// Which command runs, and what a command that could not run says.

import CLinux
import MirrorEngine
import MirrorPlan
import TransferModel

enum CommandDispatch {
  static func run(_ invocation: Invocation) async throws -> Int32 {
    switch invocation {
    case .show(let text):
      try Output.results.write(text + "\n")
      return ExitStatus.done.rawValue
    case .apply(let options): return try await ApplyCommand(options).run()
    case .plan(let options): return try await PlanCommand(options).run()
    case .lock(let options): return await LockCommand(options).run()
    case .verify(let options): return try await VerifyCommand(options).run()
    case .explain(let options): return try await ExplainCommand(options).run()
    case .status(let options): return try StatusCommand(options).run()
    case .doctor(let options): return try await DoctorCommand(options).run()
    case .report(let options): return try ReportCommand(options).run()
    case .importList(let options): return try ImportCommand(options).run()
    case .check(let options): return try CheckCommand(options).run()
    case .get(let options): return await GetCommand(options).run()
    case .stat(let options): return try await StatCommand(options).run()
    case .url(let options): return try await URLCommand(options).run()
    case .list(let options): return try await ListCommand(options).run()
    case .setMetadata(let options): return try await SetMetadataCommand(options).run()
    case .cache(let options): return try CacheCommand(options).run()
    }
  }

  static func status(of failure: OutputFailure) -> Int32 {
    switch failure {
    case .readerGone: OutputFailure.exitStatus
    case .failed: ExitStatus.localResource.rawValue
    }
  }
}

extension Talk {
  /// Says why a run could not begin, and gives its exit status.
  func refuse(_ refusal: RunRefusal) -> Int32 {
    say(LogEvent(level: .error, event: "refused", message: refusal.failure.message, hint: refusal.failure.hint))
    return refusal.status.rawValue
  }
}
