// From the whole command line to what shall be done: picks the command, and answers `--help` and `--version` everywhere.

import MirrorPlan

/// One command of the program, with the type of its options put away. Its table is made when it is asked for: a command
/// line needs that of one command only.
struct ProgramCommand: Sendable {
  /// The same as in the table.
  let name: String
  let parse: @Sendable (ArraySlice<String>, ArgumentParser) throws(UsageProblem) -> Invocation
  private let describe: @Sendable () -> CommandDescription

  var description: CommandDescription { describe() }

  init<Target>(
    _ name: String, _ spec: @autoclosure @escaping @Sendable () -> CommandSpec<Target>,
    then make: @escaping @Sendable (Target) -> Invocation
  ) {
    self.name = name
    parse = { words, parser throws(UsageProblem) in make(try parser.parse(words, as: spec())) }
    describe = { spec().description }
  }
}

/// A program: its name, its version, and its commands in the order of the help.
struct Program: Sendable {
  let name: String
  let version: String
  let summary: String
  let examples: [Example]
  let commands: [ProgramCommand]
  /// Paragraphs that end the overview.
  let notes: [String]

  /// What the words after the program's name ask for.
  ///
  /// `--help`, `-h`, `--version` and `-V` win over everything else on the line, so that help can be had in the middle of a
  /// mistake; after `--` they are ordinary arguments.
  /// - Parameters:
  ///   - arguments: without the program's own name.
  ///   - environment: a variable's value; nil when it is not set.
  ///   - nearest: the nearest of some words, for "did you mean".
  func parse(
    _ arguments: [String], environment: @escaping (String) -> String?,
    nearest: @escaping (String, [String]) -> String? = { Suggestion.nearest(to: $0, among: $1) }
  ) throws(UsageError) -> Invocation {
    guard let first = arguments.first else {
      throw UsageError(message: "no command is given", hint: commandList, command: name)
    }
    let words = arguments.prefix { $0 != "--" }
    if words.contains("--version") || words.contains("-V") { return .show("\(name) \(version)") }
    if first == "help" { return try help(on: arguments.dropFirst(), nearest: nearest) }
    let wantsHelp = words.contains("--help") || words.contains("-h")
    if first.utf8.first == UInt8(ascii: "-") {
      if wantsHelp { return .show(overview) }
      throw UsageError(
        message: "unknown option '\(first)'", hint: "options stand after the command: \(name) COMMAND \(first)",
        command: name)
    }
    let command = try command(named: first, nearest: nearest)
    if wantsHelp { return .show(helpText(for: command.description)) }
    do throws(UsageProblem) {
      return try command.parse(arguments.dropFirst(), ArgumentParser(environment: environment, nearest: nearest))
    } catch {
      throw UsageError(message: error.message, hint: error.hint, command: "\(name) \(first)")
    }
  }

  private func help(
    on words: ArraySlice<String>, nearest: (String, [String]) -> String?
  ) throws(UsageError) -> Invocation {
    guard let topic = words.first(where: { $0.utf8.first != UInt8(ascii: "-") }), topic != "help" else {
      return .show(overview)
    }
    return .show(helpText(for: try command(named: topic, nearest: nearest).description))
  }

  private func command(
    named word: String, nearest: (String, [String]) -> String?
  ) throws(UsageError) -> ProgramCommand {
    if let command = commands.first(where: { $0.name == word }) { return command }
    let near = nearest(word, commands.map(\.name))
    throw UsageError(
      message: "unknown command '\(word)'", hint: near.map { "did you mean \(name) \($0)?" } ?? commandList,
      command: name)
  }

  private var commandList: String {
    "the commands are " + commands.map(\.name).joined(separator: ", ")
  }
}
