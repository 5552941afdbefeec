// Reads the words after a command's name, and the environment, into the command's options.
// A function of its parameters: it opens nothing and prints nothing.

/// Puts together what the command line says, then what the environment says, then the defaults.
struct ArgumentParser {
  /// A variable's value; nil when it is not set.
  let environment: (String) -> String?
  /// The nearest of some words, for "did you mean".
  let nearest: (String, [String]) -> String?

  /// The command's options, every value of them validated.
  ///
  /// | option stands | value |
  /// | --- | --- |
  /// | on the command line (and perhaps in the environment) | the last one on the command line; the variable is not even read |
  /// | in the environment alone | the variable's; an empty variable counts as not set |
  /// | nowhere | the default |
  ///
  /// - Throws: `UsageProblem` for an unknown option, a value of the wrong kind, an argument too many or too few.
  func parse<Target>(
    _ words: ArraySlice<String>, as spec: CommandSpec<Target>
  ) throws(UsageProblem) -> Target {
    let scanner = ArgumentScanner(options: spec.options.map(\.description), nearest: nearest)
    let arguments = try scanner.scan(words)
    var target = spec.defaults
    try applyEnvironment(to: &target, except: arguments, of: spec)
    try applyOptions(in: arguments, to: &target, of: spec)
    try applyPositionals(in: arguments, to: &target, of: spec)
    return target
  }

  private func applyEnvironment<Target>(
    to target: inout Target, except arguments: [ScannedArgument], of spec: CommandSpec<Target>
  ) throws(UsageProblem) {
    let written = Set(
      arguments.compactMap { argument in
        if case .option(let index, _) = argument { index } else { nil }
      })
    for (index, option) in spec.options.enumerated() where !written.contains(index) {
      let variable = option.description.variable
      guard let text = environment(variable), !text.isEmpty else { continue }
      try store(text, named: "environment variable \(variable)", in: &target, by: option.store)
    }
  }

  private func applyOptions<Target>(
    in arguments: [ScannedArgument], to target: inout Target, of spec: CommandSpec<Target>
  ) throws(UsageProblem) {
    for case .option(let index, let text) in arguments {
      let option = spec.options[index]
      try store(text ?? "true", named: option.description.long, in: &target, by: option.store)
    }
  }

  private func applyPositionals<Target>(
    in arguments: [ScannedArgument], to target: inout Target, of spec: CommandSpec<Target>
  ) throws(UsageProblem) {
    var rest = spec.positionals[...]
    for case .positional(let text) in arguments {
      guard let positional = rest.first else {
        throw UsageProblem("unexpected argument '\(text)'", hint: "quote a name that has blanks in it")
      }
      if !positional.description.isRepeated { rest.removeFirst() }
      try store(text, named: positional.description.name, in: &target, by: positional.store)
    }
    if let missing = rest.first, missing.description.isRequired {
      throw UsageProblem("\(missing.description.name) is missing", hint: missing.description.help)
    }
  }

  private func store<Target>(
    _ text: String, named name: String, in target: inout Target,
    by store: (inout Target, String) throws(ValueProblem) -> Void
  ) throws(UsageProblem) {
    do {
      try store(&target, text)
    } catch {
      throw UsageProblem("\(name): '\(text)' \(error.message)", hint: error.hint)
    }
  }
}
