// Completion for shells, made from the command table.
// The scripts are printed, never installed: where they belong is the user's choice.

/// The shells that there are scripts for.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish
}

/// Writes the completion script of a program.
struct CompletionScript {
  let program: String
  let commands: [CommandDescription]

  func text(for shell: CompletionShell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var names: [String] { commands.map(\.name) }

  // MARK: bash

  private var bash: String {
    """
    # Completion of \(program) for bash: eval "$(\(program) completion bash)"
    _\(program)() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
      COMPREPLY=()
      if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "\((names + ["help", "--help", "--version"]).joined(separator: " "))" -- "$current"))
        return
      fi
      case "${COMP_WORDS[1]}:$previous" in
        help:help) COMPREPLY=($(compgen -W "\(names.joined(separator: " "))" -- "$current")); return ;;
    \(commands.flatMap(bashValues).map { "    " + $0 }.joined(separator: "\n"))
      esac
      case "${COMP_WORDS[1]}:$current" in
    \(commands.flatMap(bashWords).map { "    " + $0 }.joined(separator: "\n"))
      esac
    }
    complete -o default -F _\(program) \(program)
    """
  }

  private func bashValues(_ command: CommandDescription) -> [String] {
    command.options.compactMap { option in
      guard option.takesValue, let reply = bashReply(option.completion) else { return nil }
      let spellings = [option.long] + (option.short.map { ["-\($0)"] } ?? [])
      return "\(spellings.map { "\(command.name):\($0)" }.joined(separator: "|"))) \(reply); return ;;"
    }
  }

  private func bashWords(_ command: CommandDescription) -> [String] {
    let options = command.options.map(\.long) + ["--help", "--version"]
    var rows = [
      "\(command.name):-*) COMPREPLY=($(compgen -W \"\(options.joined(separator: " "))\" -- \"$current\")) ;;"
    ]
    if let first = command.positionals.first, case .words = first.completion, let reply = bashReply(first.completion) {
      rows.append("\(command.name):*) \(reply) ;;")
    }
    return rows
  }

  /// nil where the shell's own completion of file names does, or nothing can be offered.
  private func bashReply(_ completion: ValueCompletion) -> String? {
    switch completion {
    case .words(let words): "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
    case .directory: "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\"))"
    case .file, .nothing: nil
    }
  }

  // MARK: zsh

  private var zsh: String {
    let list = commands.map { "    \(quoted("\($0.name):\($0.summary)"))" } + ["    'help:say how a command is used'"]
    return """
      #compdef \(program)
      # Completion of \(program) for zsh: a file named _\(program) in a folder of $fpath.
      _\(program)() {
        local -a commands=(
      \(list.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
          help) _describe command commands ;;
      \(commands.map(zshCase).joined(separator: "\n"))
        esac
      }
      _\(program) "$@"
      """
  }

  private func zshCase(_ command: CommandDescription) -> String {
    var specs: [String] = []
    for option in command.options {
      let help = zshEscaped(option.help)
      let value = option.placeholder.map { ":\(zshEscaped($0)):\(zshAction(option.completion))" } ?? ""
      if let short = option.short {
        let plus = option.takesValue ? "+" : ""
        specs.append("'(-\(short) \(option.long))'\(quoted("-\(short)\(plus)[\(help)]\(value)"))")
      }
      specs.append(quoted("\(option.long)\(option.takesValue ? "=" : "")[\(help)]\(value)"))
    }
    for (index, positional) in command.positionals.enumerated() {
      let colon = positional.isRequired ? ":" : "::"
      specs.append(quoted("\(index + 1)\(colon)\(positional.name):\(zshAction(positional.completion))"))
    }
    return "    \(command.name)) _arguments -s \(specs.joined(separator: " ")) ;;"
  }

  private func zshAction(_ completion: ValueCompletion) -> String {
    switch completion {
    case .nothing: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Colons and brackets end the parts of a specification.
  private func zshEscaped(_ text: String) -> String {
    text.reduce(into: "") { $0 += ":[]\\".contains($1) ? "\\\($1)" : String($1) }
  }

  // MARK: fish

  private var fish: String {
    let first = "-n __fish_use_subcommand"
    var lines = [
      "# Completion of \(program) for fish: \(program) completion fish | source",
      "complete -c \(program) \(first) -f -a help -d 'say how a command is used'",
    ]
    for command in commands {
      lines.append("complete -c \(program) \(first) -f -a \(command.name) -d \(quoted(command.summary))")
      let inside = "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        let short = option.short.map { " -s \($0)" } ?? ""
        lines.append(
          "\(inside)\(short) -l \(option.name)\(fishValue(option.completion, option.takesValue)) -d \(quoted(option.help))"
        )
      }
      if let positional = command.positionals.first, case .words(let words) = positional.completion {
        lines.append("\(inside) -f -a \(quoted(words.joined(separator: " ")))")
      }
    }
    return lines.joined(separator: "\n")
  }

  private func fishValue(_ completion: ValueCompletion, _ takesValue: Bool) -> String {
    guard takesValue else { return "" }
    return switch completion {
    case .nothing: " -x"
    case .file: " -r -F"
    case .directory: " -x -a '(__fish_complete_directories)'"
    case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    }
  }

  /// One word for any of the shells. Bash and zsh take `'\''` for an apostrophe, and so does fish.
  private func quoted(_ text: String) -> String {
    "'" + text.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
  }
}
