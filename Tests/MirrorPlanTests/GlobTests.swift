// Patterns against names: Google's own table, and the cost of hostile patterns.

import MirrorPlan
import Testing

@Suite struct GlobTests {
  static let names = ["foo/bar", "foo/baz", "foo/foobar", "foobar"]

  @Test(
    "M21: Google's matchGlob table",
    arguments: [
      ("foo*bar", ["foobar"]),
      ("foo**bar", ["foo/bar", "foo/foobar", "foobar"]),
      ("**/foobar", ["foo/foobar", "foobar"]),
      ("*/ba[rz]", ["foo/bar", "foo/baz"]),
      ("*/ba[!a-y]", ["foo/baz"]),
      ("**/{foobar,baz}", ["foo/baz", "foo/foobar", "foobar"]),
      ("foo/{foo*,*baz}", ["foo/baz", "foo/foobar"]),
    ])
  func matchGlobTable(pattern: String, expected: [String]) throws {
    let glob = try Glob(pattern)
    #expect(Self.names.filter { glob.matches($0) } == expected)
  }

  @Test(
    "single patterns",
    arguments: [
      ("**", "", true), ("**", "a/b/c", true), ("*", "a/b", false), ("*", "", true),
      ("?", "é", true), ("?", "/", false), ("?", "ab", false), ("a?c", "a/c", false),
      ("**/*.tflite", "m.tflite", true), ("**/*.tflite", "a/b/m.tflite", true), ("**/*.tflite", "m.tflite.bak", false),
      ("tmp/**", "tmp/a", true), ("tmp/**", "tmp", false), ("tmp/**", "a/tmp/b", false),
      ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "ab", false), ("a**/b", "axx/y/b", true),
      ("[a-]x", "-x", true), ("[]]", "]", true), ("[!/]", "/", false), ("[a/]", "/", false), ("[ä-ü]", "ö", true),
      ("{a,b{c,d}}e", "bde", true), ("{a,b{c,d}}e", "be", false), ("{,x}y", "y", true), ("{a/,}**/b", "b", true),
      (#"\*"#, "*", true), (#"\*"#, "a", false), ("a,b", "a,b", true), ("A", "a", false),
      ("e\u{301}", "\u{E9}", false),
    ] as [(String, String, Bool)])
  func singlePatterns(pattern: String, name: String, expected: Bool) throws {
    #expect(try Glob(pattern).matches(name) == expected)
  }

  @Test(
    "a bad pattern is refused at the character that is wrong",
    arguments: [
      ("", 0), ("a[b", 1), ("a{b,c", 1), ("{a,{b}", 0), ("ab}", 2), (#"a\"#, 1), ("[^a]", 1), ("[z-a]", 1), ("é[", 1),
      ("[", 0), ("[!", 0),
    ] as [(String, Int)])
  func badPatterns(pattern: String, offset: Int) {
    do {
      _ = try Glob(pattern)
      Issue.record("the pattern was taken")
    } catch {
      #expect(error.offset == offset)
    }
  }

  @Test func `the pattern for nothing matches nothing`() {
    for name in ["", "a", "a/b", "/"] { #expect(!Glob.nothing.matches(name)) }
  }

  @Test func `hostile patterns take no exponential time`() throws {
    let name = String(repeating: "a", count: 1_000)
    #expect(try !Glob(String(repeating: "*a", count: 60) + "b").matches(name))
    #expect(try !Glob(String(repeating: "{a,a}", count: 100) + "b").matches(name))
    #expect(try !Glob(String(repeating: "**", count: 200) + "b").matches(name))
    #expect(try Glob(String(repeating: "{", count: 500) + "a" + String(repeating: "}", count: 500)).matches("a"))
    #expect(throws: Glob.Violation.self) { try Glob(String(repeating: "a", count: 1_025)) }
  }
}
