// What is wrong with a text the user wrote, and where.

/// A place in a text: both counted from 1, the column in characters; 0 and 0 = nowhere in particular.
package struct SourceMark: Sendable, Hashable, Comparable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// One finding about a manifest.
package struct Diagnostic: Sendable, Hashable {
  package enum Severity: String, Sendable {
    case error
    case warning
  }

  package var severity: Severity
  package var mark: SourceMark
  /// How many characters the caret underlines; at least 1.
  package var length: Int
  /// One sentence: what is wrong.
  package var message: String
  /// One sentence: what to do; nil when the message says it all.
  package var hint: String?
  /// Whether what stands at the mark is a secret, so that the line is not shown from there on.
  package var isSecret = false

  package init(
    _ severity: Severity = .error, at mark: SourceMark, length: Int = 1, _ message: String, hint: String? = nil
  ) {
    self.severity = severity
    self.mark = mark
    self.length = max(1, length)
    self.message = message
    self.hint = hint
  }
}
