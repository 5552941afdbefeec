// The completion scripts, tried in the shells that are there.

import Foundation
import Testing

@testable import MirrorCLI

@Suite struct CompletionScriptTests {
  private static func script(_ shell: String) throws -> String {
    let program = Program.mirror(version: "1")
    let invocation = try program.parse(["completion", shell], environment: { _ in nil })
    guard case .show(let text) = invocation else {
      Issue.record("completion shows no text")
      return ""
    }
    return text
  }

  private func bashReplies(_ words: [String]) throws -> [String] {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let code = """
      \(try Self.script("bash"))
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
      _mirror 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
      """
    return try run("/bin/bash", ["-c", code]).split(separator: "\n").map(String.init)
  }

  private func run(_ shell: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: shell)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  @Test(
    "bash offers",
    arguments: [
      (["mirror", "a"], ["apply"]),
      (["mirror", "--v"], ["--version"]),
      (["mirror", "help", "pl"], ["plan"]),
      (["mirror", "apply", "--d"], ["--dry-run", "--durable", "--detailed-exitcode"]),
      (["mirror", "apply", "--color", "n"], ["never"]),
      (["mirror", "get", "--api", ""], ["firebase", "gcs"]),
      (["mirror", "completion", ""], ["bash", "zsh", "fish"]),
      (["mirror", "apply", "m"], []),
    ])
  func bash(words: [String], expected: [String]) throws {
    #expect(try bashReplies(words) == expected)
  }

  @Test("the shell reads its script without an error", arguments: CompletionShell.allCases)
  func syntax(shell: CompletionShell) throws {
    let folders = ["/bin", "/usr/bin", "/usr/local/bin"]
    guard let folder = folders.first(where: { access("\($0)/\(shell.rawValue)", X_OK) == 0 }) else { return }
    let file = FileManager.default.temporaryDirectory.appending(path: "mirror-completion-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Self.script(shell.rawValue).write(to: file, atomically: true, encoding: .utf8)
    _ = try run("\(folder)/\(shell.rawValue)", ["-n", file.path])
  }

  @Test("every option of every command is in the script", arguments: CompletionShell.allCases)
  func complete(shell: CompletionShell) throws {
    let script = try Self.script(shell.rawValue)
    for option in Program.mirror(version: "1").commands.flatMap(\.description.options) {
      #expect(script.contains(shell == .fish ? "-l \(option.name)" : option.long))
    }
  }
}
