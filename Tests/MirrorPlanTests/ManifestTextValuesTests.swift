// The small languages inside the manifest: variables, durations, destinations, and "did you mean".

import MirrorPlan
import Testing
import TransferModel

@Suite struct VariablesTests {
  static let environment = ["NAME": "value", "EMPTY": "", "PATHS": "a/b", "MONEY": "$NAME"]

  func expand(_ text: String, mayBeEmpty: Bool = false) -> (text: String, problems: [Variables.Problem]) {
    var variables = Variables { Self.environment[$0] }
    return variables.expand(text, mayBeEmpty: mayBeEmpty)
  }

  @Test(
    "forms that put something in",
    arguments: [
      ("plain", "plain"), ("${NAME}", "value"), ("a${NAME}b${NAME}", "avaluebvalue"), ("$$", "$"),
      ("$${NAME}", "${NAME}"),
      ("${NONE:-x}", "x"), ("${EMPTY:-x}", "x"), ("${NAME:-x}", "value"), ("a${NONE:-}b", "ab"), ("${NAME:?}", "value"),
      ("${MONEY}", "$NAME"), ("x/${PATHS}/y", "x/a/b/y"), ("a${EMPTY}/b", "a/b"), ("${NONE:-ü}é", "üé"),
    ])
  func putIn(text: String, expected: String) {
    let (result, problems) = expand(text)
    #expect(result == expected)
    #expect(problems.isEmpty)
  }

  @Test(
    "forms that are errors, at the variable's place",
    arguments: [
      ("a${NONE}", 1, 7, "the variable `NONE` is not set"), ("é${NONE}", 1, 7, "the variable `NONE` is not set"),
      ("${EMPTY:?no token}", 0, 18, "the variable `EMPTY` is empty: no token"),
      ("${NONE:?}", 0, 9, "the variable `NONE` is not set"), ("5$", 1, 1, "a `$` that begins no variable"),
      ("$NAME", 0, 1, "a `$` that begins no variable"), ("${NAME", 0, 6, "a `${` without its `}`"),
      ("${1}", 0, 4, "this is no variable"), ("${}", 0, 3, "this is no variable"),
      ("${NAME+x}", 0, 9, "this is no variable"), ("${A B}", 0, 6, "this is no variable"),
      ("${NONE:-${NAME}}", 0, 15, "a variable inside another's default"),
    ] as [(String, Int, Int, String)])
  func errors(text: String, offset: Int, length: Int, message: String) {
    let problem = expand(text).problems.first
    #expect(problem?.offset == offset)
    #expect(problem?.length == length)
    #expect(problem?.message == message)
  }

  @Test(
    "a component that comes out empty is an error",
    arguments: ["${EMPTY}/x", "x/${EMPTY}", "x/${EMPTY}/y", "${EMPTY}", "${EMPTY}${EMPTY}", "gs://b/${NONE:-}/y"])
  func emptyComponents(text: String) {
    #expect(expand(text).problems.first?.message.contains("empty path component") == true)
    #expect(expand(text, mayBeEmpty: true).problems.isEmpty)
  }
}

@Suite struct DurationParsingTests {
  @Test(
    "durations",
    arguments: [
      ("250ms", .milliseconds(250)), ("10s", .seconds(10)), ("5m", .seconds(300)), ("2h", .seconds(7_200)),
      ("7d", .seconds(604_800)), ("1h30m", .seconds(5_400)), ("1s500ms", .milliseconds(1_500)), ("0s", .zero),
      ("36500d", .seconds(36_500 * 86_400)),
    ] as [(String, Duration)])
  func good(text: String, expected: Duration) {
    #expect(Duration(parsing: text) == expected)
  }

  @Test(
    "what is no duration",
    arguments: [
      "", "10", "s", "1.5s", "-1s", "30m1h", "1s1s", "10 s", "10S", "1h30", "36501d", "99999999999999999999s", "1y",
    ])
  func bad(text: String) {
    #expect(Duration(parsing: text) == nil)
  }
}

@Suite struct DestinationTests {
  @Test(
    "P53: spellings of one destination",
    arguments: [
      ("site", "site"), ("./site", "site"), ("././a/./b", "a/b"), ("a/b", "a/b"), ("a.b/..c", "a.b/..c"),
    ])
  func files(text: String, path: String) throws {
    #expect(try Destination(text) == .file(RelativePath(path)))
  }

  @Test("P53: spellings of one folder", arguments: ["site/", "./site/", "site//", "site/.", "./site/./", "site/.//"])
  func folders(text: String) throws {
    #expect(try Destination(text) == .folder(RelativePath("site")))
  }

  @Test("the root itself", arguments: [".", "./", "././", ".//"])
  func root(text: String) throws {
    #expect(try Destination(text) == .folder(nil))
    #expect(try Destination(text).completed(with: "x") == RelativePath("x"))
  }

  @Test(
    "R: destinations that are refused",
    arguments: [
      ("", .empty), ("/etc/passwd", .absolute), ("/", .absolute), ("..", .parentComponent), ("../x", .parentComponent),
      ("a/../../x", .parentComponent), ("a/..", .parentComponent), ("a/../", .parentComponent),
      ("a//b", .emptyComponent),
      ("./a//b", .emptyComponent), (".mirror", .reserved), ("a/.mirror/b", .reserved), (".mirror-x/", .reserved),
      ("a\u{0}b", .nul), (String(repeating: "a", count: 256), .componentTooLong),
    ] as [(String, RelativePath.Violation)])
  func refused(text: String, violation: RelativePath.Violation) {
    #expect(throws: violation) { try Destination(text) }
  }

  @Test(
    "R10: odd but plain names are kept", arguments: [#"a\b"#, "C:x", "~x", "-rf", " x ", "x.", "CON", "no", "1.10"])
  func plain(text: String) throws {
    #expect(try Destination(text) == .file(RelativePath(text)))
  }

  @Test func `a folder keeps only a plain name`() throws {
    let folder = try Destination("a/")
    #expect(try folder.completed(with: "x y") == RelativePath("a/x y"))
    #expect(throws: RelativePath.Violation.parentComponent) { try folder.completed(with: "..") }
    #expect(throws: RelativePath.Violation.emptyComponent) { try folder.completed(with: "b/c") }
    #expect(throws: RelativePath.Violation.reserved) { try folder.completed(with: ".mirror") }
  }
}

@Suite struct SuggestionTests {
  static let words = ["ref", "to", "sha256", "sha512", "placeholder", "max_size", "timeout"]

  @Test(
    "the word that was meant",
    arguments: [
      ("reff", "ref"), ("rfe", "ref"), ("REF", "ref"), ("place_holder", "placeholder"), ("maxsize", "max_size"),
      ("timout", "timeout"), ("sha265", "sha256"), ("ot", "to"),
    ])
  func near(word: String, expected: String) {
    #expect(Suggestion.nearest(to: word, among: Self.words) == expected)
  }

  @Test("words that are near to nothing", arguments: ["", "destination", "x", String(repeating: "ref", count: 1_000)])
  func far(word: String) {
    #expect(Suggestion.nearest(to: word, among: Self.words) == nil)
  }
}
