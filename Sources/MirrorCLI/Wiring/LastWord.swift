// The end of a process that nothing else ends. Not for failures that can be reported: those have the report.

import Glibc
import MirrorPlan
import TransferModel

enum LastWord {
  /// Says why and ends the process with status 1. Takes no lock and waits for no reader longer than a second: whatever holds
  /// the run up may hold those up as well. Final names are whole; parts that are left are swept by the next run.
  static func giveUp(_ failure: TransferFailure) {
    let text = TerminalText.escape("mirror: error: the run does not end: \(failure.message)") + "\n"
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&descriptor, 1, 1_000) == 1 {
      let bytes = Array(text.utf8)
      // There is nobody left to be told that this failed.
      _ = write(STDERR_FILENO, bytes, bytes.count)
    }
    _exit(ExitStatus.internalError.rawValue)
  }
}
