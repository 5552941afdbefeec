// Collects what is wrong with a manifest, all of it at once, in bounded memory.

/// The findings of one reading. The first 200 errors and the first 50 warnings are kept; the rest are counted.
package struct DiagnosticList: Sendable {
  package static let maximumErrors = 200
  package static let maximumWarnings = 50

  private var errors: [Diagnostic] = []
  private var warnings: [Diagnostic] = []
  private var omittedErrors = 0
  private var omittedWarnings = 0

  package init() {}

  package var hasErrors: Bool { !errors.isEmpty }

  package mutating func error(_ span: SourceSpan, _ message: String, hint: String? = nil) {
    add(Diagnostic(.error, at: span.mark, length: Int(span.length), message, hint: hint))
  }

  package mutating func warning(_ span: SourceSpan, _ message: String, hint: String? = nil) {
    add(Diagnostic(.warning, at: span.mark, length: Int(span.length), message, hint: hint))
  }

  /// Keeps a finding; one that is there already (an alias repeats the mistakes of its anchor) is dropped.
  package mutating func add(_ diagnostic: Diagnostic) {
    switch diagnostic.severity {
    case .error: Self.add(diagnostic, to: &errors, limit: Self.maximumErrors, omitted: &omittedErrors)
    case .warning: Self.add(diagnostic, to: &warnings, limit: Self.maximumWarnings, omitted: &omittedWarnings)
    }
  }

  private static func add(_ diagnostic: Diagnostic, to list: inout [Diagnostic], limit: Int, omitted: inout Int) {
    guard list.count < limit else {
      omitted += 1
      return
    }
    if !list.contains(diagnostic) { list.append(diagnostic) }
  }

  /// All kept findings in the order of the text, and at the end how many more there were.
  package func sorted() -> [Diagnostic] {
    var all = errors + warnings
    let order = all.indices.sorted { (all[$0].mark, $0) < (all[$1].mark, $1) }
    all = order.map { all[$0] }
    if omittedErrors > 0 {
      all.append(Diagnostic(.error, at: SourceMark(line: 0, column: 0), "and \(omittedErrors) more errors"))
    }
    if omittedWarnings > 0 {
      all.append(Diagnostic(.warning, at: SourceMark(line: 0, column: 0), "and \(omittedWarnings) more warnings"))
    }
    return all
  }
}
