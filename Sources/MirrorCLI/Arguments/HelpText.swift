// The text of `--help`, made from the command table: examples first, then what the options are.

extension Program {
  /// The text of `mirror --help`, without the last line break.
  var overview: String {
    var sections = [HelpLayout.examples(examples), HelpLayout.wrapped(summary + ".")]
    sections.append("Usage: \(name) COMMAND [options]")
    sections.append(
      HelpLayout.table("Commands:", commands.map { ($0.description.name, $0.description.summary) }))
    sections.append(
      HelpLayout.table(
        "Everywhere:",
        [
          ("-h, --help", "say how a command is used; also \(name) help COMMAND"),
          ("-V, --version", "say the version"),
        ]))
    return (sections + notes).joined(separator: "\n\n")
  }

  /// The text of `mirror COMMAND --help`, without the last line break.
  func helpText(for command: CommandDescription) -> String {
    var sections = [HelpLayout.examples(command.examples), HelpLayout.wrapped(command.summary + ".")]
    sections.append("Usage: " + command.usage(program: name))
    if !command.positionals.isEmpty {
      sections.append(HelpLayout.table("Arguments:", command.positionals.map { ($0.name, $0.help) }))
    }
    let rows = command.options.map { (HelpLayout.spelling(of: $0), $0.help) }
    sections.append(
      HelpLayout.table(
        "Options:", rows + [("-h, --help", "say this"), ("-V, --version", "say the version of \(name)")]))
    if let example = command.options.first(where: \.takesValue) {
      sections.append(
        HelpLayout.wrapped(
          "Every option can also be given by an environment variable, \(example.long) by \(example.variable) and so on; "
            + "the command line wins."))
    }
    return (sections + command.notes).joined(separator: "\n\n")
  }
}

/// Lays out the parts of a help text in 80 columns; the terminal is not asked, so that the text is the same everywhere.
enum HelpLayout {
  static let width = 80
  /// Where the right-hand column of a table begins at the latest; a left cell that needs more gets a line of its own.
  private static let lastColumn = 28

  static func examples(_ examples: [Example]) -> String {
    let widest = examples.map(\.line.count).max() ?? 0
    let lines = examples.map { example in
      let gap = String(repeating: " ", count: widest - example.line.count + 3)
      let line = "  \(example.line)\(gap)\(example.purpose)"
      return line.count <= width ? line : "  \(example.line)\n      \(example.purpose)"
    }
    return (["Examples:"] + lines).joined(separator: "\n")
  }

  /// `-j, --jobs N`
  static func spelling(of option: OptionDescription) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    let value = option.placeholder.map { " " + $0 } ?? option.optionalPlaceholder.map { "[=\($0)]" } ?? ""
    return short + option.long + value
  }

  /// Two columns, the right one wrapped.
  static func table(_ title: String, _ rows: [(left: String, right: String)]) -> String {
    var lines = [title]
    let column = min(lastColumn, (rows.map(\.left.count).max() ?? 0) + 5)
    for row in rows {
      let texts = wrap(row.right, to: width - column)
      let left = "  " + row.left
      let padding = String(repeating: " ", count: max(0, column - left.count))
      if left.count + 2 <= column, let first = texts.first {
        lines.append(left + padding + first)
        lines += texts.dropFirst().map { String(repeating: " ", count: column) + $0 }
      } else {
        lines.append(left)
        lines += texts.map { String(repeating: " ", count: column) + $0 }
      }
    }
    return lines.joined(separator: "\n")
  }

  static func wrapped(_ paragraph: String) -> String {
    wrap(paragraph, to: width).joined(separator: "\n")
  }

  private static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
