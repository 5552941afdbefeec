// A command line that cannot be obeyed: exit status 2, nothing was done.

import MirrorPlan

/// What is wrong with the command line (or with a `MIRROR_…` variable), and what to write instead.
struct UsageError: Error, Hashable, Sendable {
  /// One sentence, without a full stop.
  var message: String
  /// A sentence on a line of its own; nil when there is nothing to add.
  var hint: String?
  /// Whose help to read: `mirror apply`.
  var command: String

  /// The lines for standard error, without the last line break; what the user typed cannot drive the terminal.
  var text: String {
    var lines = ["error: " + TerminalText.escape(message)]
    if let hint { lines.append("hint: " + TerminalText.escape(hint)) }
    lines.append("help: \(command) --help")
    return lines.joined(separator: "\n")
  }
}
