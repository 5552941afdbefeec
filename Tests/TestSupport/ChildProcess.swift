// A program run by a test. Running one to its end is `ChildProcess+Run.swift`.
// Not `Foundation.Process`, whose `waitUntilExit` costs 50 ms a child and needs a run loop.

import Foundation
import Glibc
import TransferModel

/// A running child. It gets the given standard input, writes both outputs into files, inherits no other descriptor, and
/// has every signal at its default. Killed and reaped at the latest when the value goes away.
package final class ChildProcess: Sendable {
  /// How a child ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  package let pid: Int32
  private let reaper: Reaper
  private let outputs: TemporaryDirectory

  /// - Parameters:
  ///   - executable: a path, or a name that is looked for on `PATH`.
  ///   - environment: all of the child's variables; nil = those of the test.
  ///   - input: what the child reads from standard input.
  ///   - folder: the child's working folder; nil = that of the test.
  package init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8] = [],
    in folder: String? = nil
  ) throws {
    outputs = try TemporaryDirectory(named: "mirror-child")
    try outputs.write(input, to: "in")
    pid = try Spawn(
      executable: executable, arguments: arguments,
      environment: environment ?? ProcessInfo.processInfo.environment, folder: folder,
      files: (outputs.path("in"), outputs.path("out"), outputs.path("err"))
    ).start()
    reaper = Reaper(pid)
  }

  deinit {
    reaper.send(SIGKILL)
    _ = reaper.wait(for: .seconds(5))
  }

  /// Sends a signal, unless the child has ended.
  package func send(signal: Int32) { reaper.send(signal) }

  /// Waits for the end; nil when it does not come in time. May be called again, by any thread.
  package func wait(for timeout: Duration = .seconds(30)) -> End? { reaper.wait(for: timeout) }

  /// How it ended; nil while it runs.
  package var end: End? { reaper.end }

  /// What it has written to standard output so far.
  package var standardOutput: [UInt8] { (try? outputs.read("out")) ?? [] }
  /// What it has written to standard error so far.
  package var standardError: [UInt8] { (try? outputs.read("err")) ?? [] }
}

/// Waits for one child and makes sure that its number is not used once it may belong to another process.
private final class Reaper: Sendable {
  private let pid: pid_t
  private let state = Lock<ChildProcess.End?>(nil)
  private let ended = DispatchGroup()

  init(_ pid: pid_t) {
    self.pid = pid
    ended.enter()
    Thread.detachNewThread { [self] in
      // First only waits, then reaps under the lock that `send` takes too.
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      state.withLock { end in
        var status: Int32 = 0
        _ = waitpid(pid, &status, 0)
        let signal = status & 0x7F
        end = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
      }
      ended.leave()
    }
  }

  var end: ChildProcess.End? { state.withLock { $0 } }

  func send(_ signal: Int32) {
    state.withLock { end in
      if end == nil { kill(pid, signal) }
    }
  }

  func wait(for timeout: Duration) -> ChildProcess.End? {
    _ = ended.wait(timeout: .now() + timeout.inSeconds)
    return end
  }
}
