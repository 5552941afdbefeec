// What is said, word for word.

import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct LogLineTests {
  private let failure = LogEvent(
    level: .error, event: "item_failed", message: "images/\u{7}x.jpg: the object does not exist",
    hint: "look at its name",
    facts: [.init(name: "to", value: .text("images/\u{7}x.jpg")), .init(name: "http_status", value: .integer(404))])

  @Test func `text has the hint on a line of its own, and no control character`() {
    let text = LogLine.text(failure, isColored: false)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("error: images/") && lines[0].hasSuffix("x.jpg: the object does not exist"))
    #expect(lines[1] == "hint: look at its name")
    #expect(!text.unicodeScalars.contains("\u{7}"))
  }

  @Test func `an ordinary sentence stands alone`() {
    let event = LogEvent(level: .info, event: "x", message: "3 items, nothing to do")
    #expect(LogLine.text(event, isColored: true) == "3 items, nothing to do\n")
  }

  @Test func `only the label is coloured`() {
    let event = LogEvent(level: .warning, event: "x", message: "m")
    #expect(LogLine.text(event, isColored: true) == "\u{1B}[33mwarning:\u{1B}[0m m\n")
  }

  @Test func `json is one object on one line`() {
    let line = LogLine.json(failure, at: Timestamp(seconds: 0))
    let expected = #"""
      {"time":"1970-01-01T00:00:00.000Z","level":"error","event":"item_failed","message":"images/\u0007x.jpg: the object does not exist","hint":"look at its name","to":"images/\u0007x.jpg","http_status":404}

      """#
    #expect(line == expected)
  }

  @Test(
    "what is said",
    arguments: [
      (.error, .quiet, true), (.warning, .quiet, false), (.info, .normal, true), (.detail, .normal, false),
      (.detail, .verbose, true),
    ] as [(LogEvent.Level, TalkOptions.Verbosity, Bool)])
  func verbosity(level: LogEvent.Level, verbosity: TalkOptions.Verbosity, isSaid: Bool) {
    #expect(LogEvent(level: level, event: "x", message: "m").isSaid(at: verbosity) == isSaid)
  }
}
