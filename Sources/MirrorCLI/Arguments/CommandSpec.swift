// What a command takes, as data: the parser, the help and the shell completions all read the same table.

/// A command line that people can copy, and what it does.
struct Example: Hashable, Sendable {
  /// The whole line, beginning with `mirror`.
  let line: String
  /// A few words in the imperative.
  let purpose: String

  init(_ line: String, _ purpose: String) {
    self.line = line
    self.purpose = purpose
  }
}

/// What the help and the shells need to know of a command.
struct CommandDescription: Hashable, Sendable {
  let name: String
  /// One sentence in the imperative, without a full stop.
  let summary: String
  /// At least two; the help begins with them.
  let examples: [Example]
  let positionals: [PositionalDescription]
  let options: [OptionDescription]
  /// Paragraphs that end the help.
  let notes: [String]

  /// `mirror apply [options] MANIFEST`
  func usage(program: String) -> String {
    ([program, name, "[options]"] + positionals.map(\.usage)).joined(separator: " ")
  }
}

/// A command whose parsed form is `Target`.
struct CommandSpec<Target: Sendable>: Sendable {
  let name: String
  let summary: String
  let examples: [Example]
  let positionals: [PositionalSpec<Target>]
  let options: [OptionSpec<Target>]
  var notes: [String] = []
  /// The options' defaults. What stands here for a required argument is always replaced.
  let defaults: Target

  var description: CommandDescription {
    CommandDescription(
      name: name, summary: summary, examples: examples, positionals: positionals.map(\.description),
      options: options.map(\.description), notes: notes)
  }
}
