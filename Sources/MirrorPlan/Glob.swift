// Patterns over names, as `include:` and `exclude:` have them.

/// A pattern in Google's `matchGlob` language; matching is `Glob+Matching.swift`.
package struct Glob: Sendable, Hashable, CustomStringConvertible {
  /// The pattern as written.
  package let pattern: String
  package var description: String { pattern }

  package init(_ pattern: String) { self.pattern = pattern }
}
