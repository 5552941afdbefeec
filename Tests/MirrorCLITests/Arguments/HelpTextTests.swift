// What `--help` looks like: the whole text for one command, the promises for all.

import Testing

@testable import MirrorCLI

@Suite struct HelpTextTests {
  private let program = Program.mirror(version: "1.2.3")

  private var texts: [String] { [program.overview] + program.commands.map { program.helpText(for: $0.description) } }

  @Test func `every help begins with two examples`() {
    for text in texts {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines[0] == "Examples:")
      let examples = lines.dropFirst().prefix { !$0.isEmpty }.filter { $0.hasPrefix("  mirror ") }
      #expect(examples.count == 2)
    }
  }

  @Test func `no line is wider than 80 columns`() {
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test func `every example can be parsed`() throws {
    for example in program.examples + program.commands.flatMap(\.description.examples) {
      let words = example.line.split(separator: " ").map(String.init).prefix { $0 != "<" && $0 != ">" }
      #expect(words.first == "mirror")
      _ = try program.parse(Array(words.dropFirst()), environment: { _ in nil })
    }
  }

  @Test func `names and letters are given once in a command`() {
    for command in program.commands.map(\.description) {
      #expect(Set(command.options.map(\.name)).count == command.options.count)
      let letters = command.options.compactMap(\.short) + ["h", "V"]
      #expect(Set(letters).count == letters.count)
    }
  }

  @Test func `the help of check is this`() throws {
    let check = try #require(program.commands.first { $0.description.name == "check" })
    let text = program.helpText(for: check.description)
    let head = """
      Examples:
        mirror check mirror.yaml              every error with its line and column
        mirror check --json - < mirror.yaml   from standard input, for a program

      Find the errors of a manifest; no network.

      Usage: mirror check [options] MANIFEST

      Arguments:
        MANIFEST   the manifest, a YAML file; - is standard input

      Options:
            --json                print the findings as one JSON document
        -q, --quiet               say nothing but errors; the last of -q and -v counts
      """
    #expect(text.hasPrefix(head), "\(text)")
  }
}
