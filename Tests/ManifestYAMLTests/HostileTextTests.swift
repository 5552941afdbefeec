// Texts that are broken, or made to break a reader: each ends in an error with a place, soon, and in little memory.

import ManifestYAML
import MirrorPlan
import TestSupport
import Testing

@Suite struct HostileTextTests {
  private static func bomb(top: String) -> String {
    var text = "x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for level in 1...8 {
      let row = [String](repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "x-\(level): &a\(level) [\(row)]\n"
    }
    return text + top
  }

  @Test(
    "P78: nine levels of nine aliases are never written out",
    arguments: [
      "items: *a8\n", "version: *a8\n", "storage: *a8\n", "items: [{ref: *a8, to: x}]\n", "trees: [{include: *a8}]\n",
      "limits: {jobs: *a8}\n", "<<: *a8\n", "? *a8\n: 1\n",
    ])
  func laughs(top: String) {
    let clock = ContinuousClock()
    let time = clock.measure { #expect(!load("version: 1\nroot: out\n" + Self.bomb(top: top)).errors.isEmpty) }
    #expect(time < .seconds(1) * SanitizerOptions.slowness)
  }

  @Test func `P78: a bomb of merge keys is refused`() {
    var text = "x-0: &m0 {max_size: 1}\n"
    for level in 1...9 {
      let row = [String](repeating: "*m\(level - 1)", count: 9).joined(separator: ", ")
      text += "x-\(level): &m\(level) {<<: [\(row)]}\n"
    }
    let time = ContinuousClock().measure {
      let file = load("version: 1\nroot: out\n" + text + "defaults: *m9\n")
      #expect(file.errors.first?.message.contains("times as large") == true, "\(file.lines)")
    }
    #expect(time < .seconds(1) * SanitizerOptions.slowness)
  }

  @Test func `P78: one large anchor with ten thousand aliases is refused`() {
    let items = (0..<1_000).map { "{ref: gs://b/\($0), to: \($0)}" }.joined(separator: ", ")
    let aliases = [String](repeating: "*i", count: 10_000).joined(separator: ", ")
    let time = ContinuousClock().measure {
      let file = load(
        "version: 1\nroot: out\nx-i: &i {ref: [\(String(repeating: "gs://b/x, ", count: 1_000))], to: y}\n"
          + "x-j: [\(items)]\nitems: [\(aliases)]\n")
      #expect(file.errors.contains { $0.message.contains("times as large") }, "\(file.lines.suffix(3))")
    }
    #expect(time < .seconds(1) * SanitizerOptions.slowness)
  }

  @Test func `P78: an alias inside its own anchor is refused`() {
    let file = load("version: 1\nroot: out\nitems: &i\n  - *i\n")
    #expect(file.lines == ["4:5 the alias `*i` stands inside its own anchor"])
  }

  @Test func `a chain of merges is as deep as it may be`() {
    var text = "x-0: &m0 {max_size: 1}\n"
    for level in 1...100 { text += "x-\(level): &m\(level) {<<: *m\(level - 1)}\n" }
    #expect(load("version: 1\nroot: out\n\(text)defaults: *m10\n").errors.isEmpty)
    #expect(load("version: 1\nroot: out\n\(text)defaults: *m100\n").errors.first?.message.contains("merges") == true)
  }

  @Test(
    "P79: a hundred thousand levels are an error with a line, and no crash",
    arguments: ["[", "{a: ", "- ", "? ", "[{a: "])
  func levels(unit: String) {
    for prefix in ["", "version: 1\nroot: out\nitems: \n", "version: 1\nroot: out\nx-deep:\n  "] {
      let file = load(prefix + String(repeating: unit, count: 100_000))
      #expect(file.manifest == nil)
      #expect(file.errors.allSatisfy { $0.mark.line > 0 })
    }
  }

  @Test func `more than 64 levels are refused where they begin`() {
    let file = load("version: 1\nroot: out\nx-deep: " + String(repeating: "[", count: 100))
    #expect(file.lines == ["3:72 more than 64 lists and mappings inside each other"])
  }

  @Test func `a hundred megabytes are refused without being read`() {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 100 << 20)
    let time = ContinuousClock().measure {
      #expect(load(bytes).lines == ["1:1 the manifest has 104857600 bytes; the most is 67108864 (64 MiB)"])
    }
    #expect(time < .seconds(1) * SanitizerOptions.slowness)
  }

  @Test(
    "control characters are named and placed",
    arguments: [
      ("version: 1\nroot: a\u{0}b\n", "2:8 a NUL character in the manifest"),
      ("version: 1\nroot: \u{1B}[31m\n", "2:7 the control character U+001B in the manifest"),
      ("é: \u{7F}\n", "1:4 the control character U+007F in the manifest"),
      ("a\r\nb\rc\n\u{8}", "4:1 the control character U+0008 in the manifest"),
    ])
  func controlCharacters(text: String, expected: String) {
    #expect(load(text).lines == [expected])
  }

  @Test(
    "bytes that are not UTF-8 are placed",
    arguments: [
      ([0xFF], "1:4"), ([0xC3], "1:4"), ([0xC0, 0xAF], "1:4"), ([0xED, 0xA0, 0x80], "1:4"),
      ([0xF5, 0x80, 0x80, 0x80], "1:4"), ([0xC3, 0xA9, 0xFE], "1:5"),
    ] as [([UInt8], String)])
  func invalidUTF8(bytes: [UInt8], place: String) {
    let first = load(Array("a: ".utf8) + bytes + Array(" b\n".utf8)).lines.first ?? ""
    #expect(first.hasPrefix("\(place) this is not UTF-8"), "\(first)")
  }

  @Test(
    "P77: UTF-16 and UTF-32 are named",
    arguments: [
      ([0xFF, 0xFE, 0x61, 0], "UTF-16"), ([0xFE, 0xFF, 0, 0x61], "UTF-16"), ([0x61, 0, 0x3A, 0], "UTF-16"),
      ([0, 0x61, 0, 0x3A], "UTF-16"), ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
    ] as [([UInt8], String)])
  func foreignEncodings(bytes: [UInt8], name: String) {
    #expect(load(bytes).lines == ["1:1 the manifest is \(name), not UTF-8"])
  }

  @Test(
    "broken YAML is told in plain words",
    arguments: [
      ("version: 1\n\troot: out\n", "2:1 a tab where YAML takes only spaces"),
      ("items:\n  - ref: a\n\t  to: b\n", "3:1 a tab where YAML takes only spaces"),
      ("version: 1\nroot: out\n---\nversion: 1\n", "3:1 a second document begins here"),
      ("version: 1\nroot: 'out\n", "3:1 the text ends inside quotes; it began at line 2"),
      ("version: 1\nroot: *out\n", "2:7 no anchor `&out` stands before this alias"),
      ("version: 1\nroot: a: b\n", "2:8 a `:` that makes no key here"),
      ("version: 1\nroot: @out\n", "2:7 no value begins with this character"),
      ("version: 1\nroot: \"\\q\"\n", "2:8 no such escape in a \"…\" text"),
      ("version: 1\nlimits: {jobs: 1\nroot: x\n", "3:5 the mapping in { } lacks a `,` or its `}`; it began at line 2"),
      ("version: 1\nroot: !!int 3\n", "2:7 a tag; manifests have none"),
      ("version: 1\n[a]: b\nroot: x\n", "2:1 a key is a word, not a list"),
    ])
  func brokenYAML(text: String, expected: String) {
    let lines = load(text).lines
    #expect(lines.contains(expected), "\(lines)")
  }

  @Test("no text at all", arguments: ["", "\u{FEFF}", "\n\n", "# only a comment\n", "---\n", "...\n"])
  func nothing(text: String) {
    let file = load(text)
    #expect(file.manifest == nil)
    #expect(!file.errors.isEmpty)
  }

  @Test("a text that is no mapping", arguments: ["a", "[a]", "- a\n- b\n", "1", "\"\""])
  func noMapping(text: String) {
    #expect(load(text).errors.first?.message.hasPrefix("a manifest is a mapping of keys to values, not") == true)
  }

  @Test func `any prefix of a good manifest is read without a trap`() {
    let text = Array(ThirtyMistakesTests.text.utf8)
    for length in stride(from: 0, to: text.count, by: 7) { _ = load(Array(text[..<length])) }
  }

  @Test func `random damage is read without a trap`() {
    let good = Array(ThirtyMistakesTests.text.utf8)
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let palette = Array("[]{}:,-&*!|>'\"%@`#?<~$ \n\t\\x".utf8) + [0, 0xFF, 0xC3, 0xA9]
    for _ in 0..<500 {
      var bytes = good
      for _ in 0...random(8) { bytes[random(bytes.count)] = palette[random(palette.count)] }
      let file = load(bytes)
      let shown = DiagnosticRenderer(name: "m", source: bytes).text(of: file.diagnostics)
      #expect(file.diagnostics.isEmpty || !shown.isEmpty)
    }
  }
}
