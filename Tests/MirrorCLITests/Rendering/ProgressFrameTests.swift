// Exact frames: what a person sees at a given width.

import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct ProgressFrameTests {
  private let running = ProgressSnapshot(
    itemsDone: 123, itemsTotal: 456, itemsFailed: 0, bytesDone: 512 << 20, bytesTotal: 1 << 30, rate: 8 * 1_048_576,
    transfers: [
      .init(destination: "models/large.tflite", bytes: 12 << 20, totalBytes: 40 << 20),
      .init(destination: "a/b.txt", bytes: 100, totalBytes: nil),
      .init(
        destination: "c.bin", bytes: 0, totalBytes: nil,
        phase: .waiting(reason: "connection refused", left: .milliseconds(11_200))),
    ])

  @Test func `a frame of 100 columns has a bar and every field`() {
    #expect(
      ProgressFrame(columns: 100).lines(of: running) == [
        "[###############---------------]  50%  123/456 items  1m04s left  8.0 MiB/s  512.0 MiB of 1.0 GiB",
        "  models/large.tflite  12.0 MiB of 40.0 MiB",
        "  a/b.txt  100 B",
        "  c.bin  waits 12s: connection refused",
      ])
  }

  @Test(
    "the overall line fits",
    arguments: [
      (80, "[######------]  50%  123/456 items  1m04s left  8.0 MiB/s  512.0 MiB of 1.0 GiB"),
      (70, "50%  123/456 items  1m04s left  8.0 MiB/s  512.0 MiB of 1.0 GiB"),
      (50, "50%  123/456 items  1m04s left  8.0 MiB/s"),
      (24, "50%  123/456 items"),
      (10, "50%"),
      (3, "50"),
      (1, "5"),
    ])
  func widths(columns: Int, expected: String) {
    #expect(ProgressFrame(columns: columns).lines(of: running).first == expected)
  }

  @Test("no line is wider than the terminal", arguments: 1...120)
  func neverWraps(columns: Int) {
    var snapshot = running
    snapshot.itemsFailed = 7
    snapshot.transfers[0].destination = "模型/" + String(repeating: "é大", count: 40)
    for line in ProgressFrame(columns: columns).lines(of: snapshot) {
      #expect(DisplayWidth.columns(of: line) <= max(1, columns - 1), "\(line)")
    }
  }

  @Test func `failures are named before anything but the percentage`() {
    var snapshot = running
    snapshot.itemsFailed = 2
    #expect(ProgressFrame(columns: 30).lines(of: snapshot).first == "50%  2 failed  123/456 items")
  }

  @Test func `what is not known is not shown`() {
    let snapshot = ProgressSnapshot(
      itemsDone: 3, itemsTotal: nil, itemsFailed: 0, bytesDone: 2_048, bytesTotal: nil, rate: nil)
    #expect(ProgressFrame(columns: 80).lines(of: snapshot) == ["3 items  2.0 KiB"])
  }

  @Test func `a stalled transfer has no time left`() {
    var snapshot = running
    snapshot.rate = 0
    #expect(snapshot.timeLeft == nil)
  }

  @Test func `only the bar is coloured`() {
    let line = ProgressFrame(columns: 100, isColored: true).lines(of: running)[0]
    #expect(line.hasPrefix("[\u{1B}[32m###############\u{1B}[0m---------------]  50%"))
  }

  @Test func `a long destination keeps its end`() {
    var snapshot = running
    snapshot.transfers = [.init(destination: "very/long/path/to/some/file.bin", bytes: 1, totalBytes: 2)]
    #expect(ProgressFrame(columns: 31).lines(of: snapshot)[1] == "  …o/some/file.bin  1 B of 2 B")
  }

  @Test func `a name cannot drive the terminal`() {
    var snapshot = running
    snapshot.transfers = [.init(destination: "a\u{1B}[2J\nb", bytes: 1, totalBytes: 2)]
    for line in ProgressFrame(columns: 80).lines(of: snapshot) {
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
  }

  @Test func `the line for logs has every field`() {
    #expect(
      ProgressFrame.plainLine(of: running)
        == "50%, 123/456 items, 1m04s left, 8.0 MiB/s, 512.0 MiB of 1.0 GiB, c.bin waits 12s: connection refused")
  }

  @Test(
    "durations are short",
    arguments: [
      (.zero, "0s"), (.milliseconds(1), "1s"), (.seconds(59), "59s"), (.seconds(60), "1m00s"),
      (.seconds(3_599), "59m59s"),
      (.seconds(7_500), "2h05m"), (.seconds(273_600), "3d04h"), (.seconds(-5), "0s"),
    ] as [(Duration, String)])
  func shortText(duration: Duration, text: String) {
    #expect(duration.shortText == text)
  }

  @Test(
    "columns are counted",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("大", 2), ("😀", 2), ("한글", 4), ("ﾊ", 1), ("Ａ", 2),
    ])
  func columns(text: String, expected: Int) {
    #expect(DisplayWidth.columns(of: text) == expected)
  }
}
