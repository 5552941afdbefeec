// The composition root: from the words of the command line to an exit status.

import Glibc
import MirrorPlan
import TransferModel

/// The program `mirror`.
public enum MirrorProgram {
  /// mirror's version, as `--version` and the report have it.
  static let version = "0.1.0"

  /// Runs one command to its end and returns the process's exit status. To be called once, first thing in `main`: signals
  /// are blocked here, before any thread exists.
  ///
  /// - Parameter arguments: those of the process, the program's own name first.
  public static func run(_ arguments: [String]) -> Int32 {
    AllocatorSettings.apply()
    SignalWatch.block()
    Output.ignoreBrokenPipes()
    return MainThread.run { await dispatch(arguments) }
  }

  private static func dispatch(_ arguments: [String]) async -> Int32 {
    do {
      let invocation = try Program.mirror(version: version)
        .parse(Array(arguments.dropFirst()), environment: ProcessEnvironment.value)
      return try await CommandDispatch.run(invocation)
    } catch let error as UsageError {
      try? Output.talk.write(error.text + "\n")
      return ExitStatus.usage.rawValue
    } catch let error as OutputFailure {
      return CommandDispatch.status(of: error)
    } catch {
      try? Output.talk.write("error: \(error)\n")
      return ExitStatus.internalError.rawValue
    }
  }
}
