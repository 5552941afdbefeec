// A command line that cannot be obeyed: exit status 2, nothing was done.

/// What is wrong with the command line (or with a `MIRROR_…` variable), and what to write instead.
package struct UsageError: Error, Hashable, Sendable {
  /// One sentence, without a full stop.
  package var message: String
  /// A sentence on a line of its own; nil when there is nothing to add.
  package var hint: String?
  /// Whose help to read: `mirror apply`.
  package var command: String

  /// The lines for standard error, without the last line break.
  ///
  /// The message may hold what the user typed: `TerminalText` stands between it and the terminal.
  package func text(escaped escape: (String) -> String) -> String {
    var lines = ["error: " + escape(message)]
    if let hint { lines.append("hint: " + escape(hint)) }
    lines.append("help: \(command) --help")
    return lines.joined(separator: "\n")
  }
}
