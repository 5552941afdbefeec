// A program run to its end.

/// What a program left behind.
package struct ChildResult: Sendable {
  package var end: ChildProcess.End
  package var standardOutput: [UInt8]
  package var standardError: [UInt8]

  /// The exit status; nil when a signal ended it.
  package var status: Int32? {
    if case .exited(let status) = end { status } else { nil }
  }

  package var outputText: String { String(decoding: standardOutput, as: UTF8.self) }
  package var errorText: String { String(decoding: standardError, as: UTF8.self) }
}

/// A program that did not end in time, and was killed.
package struct ChildTimedOut: Error, CustomStringConvertible {
  package var command: String
  package var timeout: Duration
  package var output: String
  package var description: String { "`\(command)` did not end within \(timeout); it had said: \(output)" }
}

extension ChildProcess {
  /// Runs a program and waits, which blocks the thread; parameters as in `init`.
  /// - Throws: `ChildTimedOut`, after killing it.
  package static func run(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8] = [],
    in folder: String? = nil, timeout: Duration = .seconds(30)
  ) throws -> ChildResult {
    let child = try ChildProcess(executable, arguments, environment: environment, input: input, in: folder)
    guard let end = child.wait(for: timeout) else {
      child.send(signal: 9)
      let said = String(decoding: child.standardOutput + child.standardError, as: UTF8.self)
      throw ChildTimedOut(
        command: ([executable] + arguments).joined(separator: " "), timeout: timeout, output: String(said.suffix(2_000))
      )
    }
    return ChildResult(end: end, standardOutput: child.standardOutput, standardError: child.standardError)
  }

  /// The same for asynchronous tests: waits on a thread of its own.
  package static func run(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8] = [],
    in folder: String? = nil, timeout: Duration = .seconds(30)
  ) async throws -> ChildResult {
    try await onOwnThread {
      try run(executable, arguments, environment: environment, input: input, in: folder, timeout: timeout)
    }
  }
}
