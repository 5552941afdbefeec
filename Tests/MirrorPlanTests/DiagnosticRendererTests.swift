// How findings look.

import MirrorPlan
import Testing

@Suite struct DiagnosticRendererTests {
  private func render(_ source: String, _ diagnostics: Diagnostic...) -> String {
    DiagnosticRenderer(name: "m.yaml", source: Array(source.utf8)).text(of: diagnostics)
  }

  private func at(_ line: Int, _ column: Int, length: Int = 1, hint: String? = nil) -> Diagnostic {
    Diagnostic(at: SourceMark(line: line, column: column), length: length, "wrong", hint: hint)
  }

  @Test func `a finding shows its place, its line, a caret and what to do`() {
    let text = render(
      "version: 1\nreff: x\n",
      Diagnostic(
        at: SourceMark(line: 2, column: 1), length: 4, "a manifest has no key `reff`", hint: "did you mean `ref`?"))
    #expect(
      text == """
        error: a manifest has no key `reff`
         --> m.yaml:2:1
          |
        2 | reff: x
          | ^^^^
          = help: did you mean `ref`?

        """)
  }

  @Test func `findings are set apart; one about no place has no line`() {
    let text = render("a\n", at(1, 1), Diagnostic(.warning, at: SourceMark(line: 0, column: 0), "and 3 more"))
    #expect(text == "error: wrong\n --> m.yaml:1:1\n  |\n1 | a\n  | ^\n\nwarning: and 3 more\n")
  }

  @Test(
    "the caret stands below its character",
    arguments: [
      ("a\tb", 3, "a    b", "     ^"), ("日本x", 3, "日本x", "    ^"), ("日本x", 2, "日本x", "  ^^"),
      ("e\u{301}x", 3, "e\u{301}x", " ^"), ("a\u{1B}b", 3, "a\\u{1b}b", "       ^"), ("🚇x", 2, "🚇x", "  ^"),
      ("a\u{202E}b", 3, "a\\u{202e}b", "         ^"), ("ab", 3, "ab", "  ^"), ("", 1, "", "^"),
      ("ab\r", 2, "ab", " ^"),
    ] as [(String, Int, String, String)])
  func carets(line: String, column: Int, shown: String, caret: String) {
    let text = render(line + "\n", at(1, column))
    #expect(text == "error: wrong\n --> m.yaml:1:\(column)\n  |\n1 | \(shown)\n  | \(caret)\n")
  }

  @Test func `a long line is cut around the caret`() throws {
    let line = String(repeating: "x", count: 5_000) + "Y" + String(repeating: "z", count: 5_000)
    let lines = render(line, at(1, 5_001, length: 9_000)).split(separator: "\n", omittingEmptySubsequences: false)
    let shown = Array(lines[3])
    let carets = Array(lines[4])
    #expect(shown.count < 120 && carets.count < 120)
    #expect(shown[try #require(carets.firstIndex(of: "^"))] == "Y")
  }

  @Test func `bytes that are no UTF-8 are shown as replacement characters`() {
    let renderer = DiagnosticRenderer(name: "m", source: [0x61, 0xFF, 0x62, 0x0A])
    #expect(renderer.text(of: [at(1, 2)]).contains("1 | a\u{FFFD}b\n"))
  }

  @Test(
    "secrets in a line are not shown",
    arguments: [
      "ref: https://e.com/x?alt=media&token=hunter2&y=1", "ref: \"https://u:hunter2@e.com/x\"",
      "ref: https://e.com/?X-Goog-Signature=hunter2", "ref: https://e.com/?access_token=hunter2",
    ])
  func secrets(line: String) {
    let text = render(line, at(1, 1))
    #expect(!text.contains("hunter2"))
    #expect(text.contains("*******"))
    #expect(text.contains("e.com"))
  }

  @Test func `a secret value hides its line for every finding`() {
    var secret = at(1, 8)
    secret.isSecret = true
    let text = render("value: hunter2\n", at(1, 1), secret)
    #expect(!text.contains("hunter2"))
    #expect(text.contains("value: *******"))
  }

  @Test func `findings as JSON`() {
    let renderer = DiagnosticRenderer(name: "m.yaml", source: Array("a: \"hunter2\"\n".utf8))
    let json = renderer.json(of: [
      at(1, 4, length: 9, hint: "do \"this\""), Diagnostic(.warning, at: SourceMark(line: 0, column: 0), "more"),
    ])
    #expect(
      String(decoding: json, as: UTF8.self) == #"""
        [
          {
            "severity": "error",
            "file": "m.yaml",
            "line": 1,
            "column": 4,
            "length": 9,
            "message": "wrong",
            "hint": "do \"this\""
          },
          {
            "severity": "warning",
            "file": "m.yaml",
            "message": "more"
          }
        ]

        """#)
  }
}
