// Patterns over names, as `include:` and `exclude:` have them: reading one. Matching is `Glob+Matching.swift`.

/// A pattern in the language of Google's `matchGlob`.
///
/// | written | matches |
/// | --- | --- |
/// | `*` | any characters but `/`, also none |
/// | `**` | any characters, also none |
/// | `**/` at the beginning or behind a `/` | any folders, also none |
/// | `?` | one character but `/` |
/// | `[abc]` `[a-z]` | one of these characters, never `/` |
/// | `[!abc]` | one character that is none of these, never `/` |
/// | `{one,two}` | either; may be nested |
/// | `\` and a character | that character |
///
/// The whole name must match. Names are taken scalar by scalar as their UTF-8 has them: nothing is normalised.
package struct Glob: Sendable, CustomStringConvertible {
  /// The pattern as written.
  package let pattern: String
  package var description: String { pattern }
  let program: GlobProgram

  /// Why a text is no pattern.
  package struct Violation: Error, Hashable, Sendable {
    /// In characters from the beginning of the pattern.
    package var offset: Int
    package var message: String
    package var hint: String?
  }

  /// The longest pattern, in bytes (Google's limit for object names, and so for patterns).
  package static let maximumBytes = 1_024

  /// Matches no name at all: what an empty `include` stands for.
  package static let nothing = Glob(pattern: "", program: GlobProgram(states: [.oneOf(GlobProgram.ScalarClass())]))

  private init(pattern: String, program: GlobProgram) {
    self.pattern = pattern
    self.program = program
  }

  package init(_ pattern: String) throws(Violation) {
    guard pattern.utf8.count <= Self.maximumBytes else {
      throw Violation(offset: 0, message: "a pattern of more than \(Self.maximumBytes) bytes")
    }
    var compiler = GlobCompiler(pattern)
    program = try compiler.compile()
    self.pattern = pattern
  }
}

extension Glob: Hashable {
  package static func == (left: Glob, right: Glob) -> Bool {
    left.pattern.utf8.elementsEqual(right.pattern.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in pattern.utf8 { hasher.combine(byte) }
  }
}
