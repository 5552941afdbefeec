// Names below the root: the lexical rows of conformance group R.

import Testing
import TransferModel

@Suite("Relative paths")
struct RelativePathTests {
  private static let longest = String(repeating: "x", count: 255)

  @Test(
    "is taken as it is",
    arguments: [
      ("R01", "a/b.txt"), ("R09", longest), ("R09", "a/\(longest)/b"), ("R10", "a\\b"), ("R10", "C:x"), ("R10", "~x"),
      ("R10", "-rf"),
      ("R10", " x "), ("R10", "x."), ("R11", "a\nb"), ("R15", "CON"), ("R15", "nul"), ("dots", "..."),
      ("dots", "..x/.y"),
      ("R12", "e\u{301}"), ("R17", (0..<512).map { _ in "a" }.joined(separator: "/")),
      ("near the reserved name", ".mirrors"),
      ("near the reserved name", "a.mirror-x"), ("combining mark behind a slash", "a/\u{301}b"),
    ])
  func accepted(id: String, name: String) throws {
    #expect(Array(try RelativePath(name).text.utf8) == Array(name.utf8))
  }

  @Test(
    "is refused with the rule that it breaks",
    arguments: [
      ("R02", "../x", RelativePath.Violation.parentComponent), ("R02", "a/../../x", .parentComponent),
      ("R02", "..", .parentComponent),
      ("R03", "/etc/passwd", .absolute), ("R04", "a//b", .emptyComponent), ("R05", "a/./b", .dotComponent),
      ("R05", ".", .dotComponent),
      ("R06", "dir/", .emptyComponent), ("R09", longest + "x", .componentTooLong),
      ("R09", "é" + longest.dropFirst(), .componentTooLong),
      ("empty", "", .empty), ("NUL", "a\0b", .nul), ("reserved", ".mirror/state.db", .reserved),
      ("reserved", "a/.mirror-x", .reserved),
      ("too long", (0..<2_000).map { _ in "a" }.joined(separator: "/"), .pathTooLong),
    ])
  func refused(id: String, name: String, violation: RelativePath.Violation) {
    #expect(throws: violation) { try RelativePath(name) }
  }

  @Test(
    "what is plain is a path, and what breaks a rule is not plain",
    arguments: [
      ("a", true), ("a/b.txt", true), ("a.b/c..d/e.", true), (longest, true), ("a/\(longest)/b", true), ("CON", true),
      ("", false), ("/a", false), ("a/", false), ("a//b", false), (".", false), ("..", false), ("a/.", false),
      ("a/../b", false), (".a", false), ("a/.mirror/b", false), (longest + "x", false), ("a/\(longest)x", false),
      ("a b", false), ("a\0b", false), ("a\nb", false), ("a\u{7F}b", false), ("\u{E4}", false),
      ((0..<2_000).map { _ in "a" }.joined(separator: "/"), false),
    ])
  func plain(name: String, isPlain: Bool) {
    #expect(Array(name.utf8).withUnsafeBufferPointer { RelativePath.isPlain($0) } == isPlain)
    if isPlain { #expect((try? RelativePath(name)) != nil) }
  }

  @Test("R12 P70: twins in two Unicode forms are two paths, in byte order")
  func twins() throws {
    let composed = try RelativePath("\u{E9}")
    let decomposed = try RelativePath("e\u{301}")
    #expect(composed != decomposed)
    #expect(decomposed < composed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test("M25: order is by bytes")
  func order() throws {
    let sorted = try ["a", "B", "é", "z"].map { try RelativePath($0) }.sorted()
    #expect(sorted.map(\.text) == ["B", "a", "z", "é"])
  }

  @Test("name and parent")
  func parts() throws {
    #expect(try RelativePath("a/b/c").name == "c")
    #expect(try RelativePath("a/b/c").parentText == "a/b")
    #expect(try RelativePath("a").parentText == nil)
  }
}
