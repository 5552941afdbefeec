// When progress is shown: snapshots and a hand-moved clock in, exact bytes out.

import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct ProgressDisplayTests {
  private func at(_ milliseconds: Int) -> MonotonicInstant {
    MonotonicInstant(sinceOrigin: .milliseconds(milliseconds))
  }

  private func snapshot(_ done: Int) -> ProgressSnapshot {
    ProgressSnapshot(itemsDone: done, itemsTotal: nil, itemsFailed: 0, bytesDone: 0, bytesTotal: nil, rate: nil)
  }

  private func update(_ display: inout ProgressDisplay, _ done: Int, at milliseconds: Int) -> String? {
    display.update(snapshot(done), at: at(milliseconds), utc: Timestamp(seconds: 0), columns: 80)
  }

  @Test func `a frame is drawn over at most ten times a second`() {
    var display = ProgressDisplay(mode: .frame(isColored: false), start: at(0))
    #expect(update(&display, 1, at: 10) == "1 items  0 B\u{1B}[K\n\u{1B}[J")
    #expect(update(&display, 2, at: 109) == nil)
    #expect(update(&display, 3, at: 110) == "\u{1B}[1A\r3 items  0 B\u{1B}[K\n\u{1B}[J")
    let shown = (0..<1_000).count { update(&display, $0, at: 1_000 + $0) != nil }
    #expect(shown == 10)
  }

  @Test func `a log line stands above the frame`() {
    var display = ProgressDisplay(mode: .frame(isColored: false), start: at(0))
    #expect(display.interrupt(with: "early\n", columns: 80) == "early\n")
    _ = update(&display, 1, at: 0)
    #expect(
      display.interrupt(with: "warning: x\n", columns: 80)
        == "\u{1B}[1A\r\u{1B}[Jwarning: x\n1 items  0 B\u{1B}[K\n\u{1B}[J")
  }

  @Test func `the frame goes away at the end, once`() {
    var display = ProgressDisplay(mode: .frame(isColored: false), start: at(0))
    _ = update(&display, 1, at: 0)
    #expect(display.finish() == "\u{1B}[1A\r\u{1B}[J")
    #expect(display.finish() == "")
    #expect(display.interrupt(with: "late\n", columns: 80) == "late\n")
  }

  @Test func `a log gets a line every 30 seconds, and none at the start`() {
    var display = ProgressDisplay(mode: .lines, start: at(0))
    #expect(update(&display, 1, at: 0) == nil)
    #expect(update(&display, 1, at: 29_999) == nil)
    #expect(update(&display, 2, at: 30_000) == "2 items, 0 B\n")
    #expect(update(&display, 3, at: 59_000) == nil)
    #expect(update(&display, 4, at: 60_000) == "4 items, 0 B\n")
    #expect(display.interrupt(with: "x\n", columns: 80) == "x\n")
    #expect(display.finish() == "")
  }

  @Test func `a program gets an event every 30 seconds`() {
    var display = ProgressDisplay(mode: .events, start: at(0))
    #expect(update(&display, 1, at: 1) == nil)
    let expected = """
      {"time":"1970-01-01T00:00:00.000Z","level":"info","event":"progress","items_done":2,"items_failed":0,"bytes_done":0}

      """
    #expect(update(&display, 2, at: 30_000) == expected)
  }

  @Test func `quiet is silent`() {
    var display = ProgressDisplay(mode: .silent, start: at(0))
    #expect(update(&display, 1, at: 100_000) == nil)
    #expect(display.finish() == "")
  }

  @Test(
    "how progress is shown",
    arguments: [
      (.quiet, .text, true, .silent), (.quiet, .json, false, .silent), (.normal, .json, true, .events),
      (.verbose, .json, false, .events), (.normal, .text, true, .frame(isColored: true)),
      (.normal, .text, false, .lines),
    ] as [(TalkOptions.Verbosity, TalkOptions.LogFormat, Bool, ProgressDisplay.Mode)])
  func mode(
    verbosity: TalkOptions.Verbosity, format: TalkOptions.LogFormat, isTerminal: Bool, expected: ProgressDisplay.Mode
  ) {
    let terminal = TerminalTraits(isTerminal: isTerminal, environment: { _ in nil })
    let options = TalkOptions(verbosity: verbosity, logFormat: format)
    #expect(ProgressDisplay.Mode(talk: options, terminal: terminal) == expected)
  }

  @Test func `a dumb terminal is not redrawn`() {
    let dumb = TerminalTraits(isTerminal: true, environment: { $0 == "TERM" ? "dumb" : nil })
    #expect(ProgressDisplay.Mode(talk: TalkOptions(), terminal: dumb) == .lines)
  }

  @Test(
    "colours",
    arguments: [
      (.auto, true, nil, true), (.auto, false, nil, false), (.auto, true, "1", false), (.auto, true, "", true),
      (.always, false, "1", true), (.never, true, nil, false),
    ] as [(TalkOptions.Color, Bool, String?, Bool)])
  func color(choice: TalkOptions.Color, isTerminal: Bool, noColor: String?, expected: Bool) {
    let terminal = TerminalTraits(isTerminal: isTerminal, environment: { $0 == "NO_COLOR" ? noColor : nil })
    #expect(terminal.usesColor(choice) == expected)
  }

  @Test func `the rate is the mean of the last ten seconds`() {
    var meter = RateMeter()
    #expect(meter.rate == nil)
    meter.add(0, at: at(0))
    meter.add(400, at: at(400))
    #expect(meter.rate == nil)
    meter.add(1_000, at: at(1_000))
    #expect(meter.rate == 1_000)
    for second in 2...30 { meter.add(1_000, at: at(second * 1_000)) }
    #expect(meter.rate == 0)
  }

  @Test func `the rate starts over when the count falls`() {
    var meter = RateMeter()
    meter.add(5_000, at: at(0))
    meter.add(6_000, at: at(1_000))
    meter.add(100, at: at(2_000))
    #expect(meter.rate == nil)
    meter.add(1_100, at: at(3_000))
    #expect(meter.rate == 1_000)
  }
}
