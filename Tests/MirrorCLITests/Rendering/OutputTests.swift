// Writing to real pipes: everything arrives, and a reader that has gone is an error and not a signal.

import Glibc
import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct OutputTests {
  private struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      reader = ends[0]
      writer = ends[1]
    }

    func readAvailable() -> String {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(reader, &buffer, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test func `a reader that has gone is named, and nothing is killed`() throws {
    Output.ignoreBrokenPipes()
    let pipe = try Pipe()
    close(pipe.reader)
    defer { close(pipe.writer) }
    #expect(throws: OutputFailure.readerGone) { try Output(descriptor: pipe.writer).write("x") }
  }

  @Test func `a full disk is an error with its number`() throws {
    let full = open("/dev/full", O_WRONLY)
    try #require(full >= 0)
    defer { close(full) }
    #expect(throws: OutputFailure.failed(ENOSPC)) { try Output(descriptor: full).write("x") }
  }

  @Test func `more than a pipe holds arrives whole, also through a non-blocking descriptor`() async throws {
    let pipe = try Pipe()
    try #require(fcntl(pipe.writer, F_SETFL, O_NONBLOCK) == 0)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    async let received = drain(pipe.reader)
    try Output(descriptor: pipe.writer).write(bytes[...])
    close(pipe.writer)
    #expect(await received == bytes)
    close(pipe.reader)
  }

  @concurrent private func drain(_ descriptor: Int32) async -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer.prefix(count)
    }
  }

  @Test func `talk to a pipe is plain lines, filtered by verbosity`() throws {
    let pipe = try Pipe()
    let talk = Talk(
      options: TalkOptions(verbosity: .quiet), output: Output(descriptor: pipe.writer),
      terminal: TerminalTraits(descriptor: pipe.writer, environment: { _ in nil }), clocks: StoppedClocks())
    talk.say(LogEvent(level: .info, event: "x", message: "not said"))
    talk.say(LogEvent(level: .error, event: "x", message: "said"))
    talk.finishProgress()
    #expect(pipe.readAvailable() == "error: said\n")
    #expect(TerminalTraits.columns(of: pipe.writer) == 80)
    close(pipe.reader)
    close(pipe.writer)
  }

  private struct StoppedClocks: Clocks {
    func monotonic() -> MonotonicInstant { MonotonicInstant(sinceOrigin: .zero) }
    func utc() -> Timestamp { Timestamp(seconds: 0) }
    func random() -> Double { 0 }
  }
}
