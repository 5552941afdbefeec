// The one voice on standard error: log lines and the progress frame, which must not be drawn into each other.

import TransferModel

/// Says things on a descriptor; safe from any thread. What cannot be written is dropped: there is no other place to say it,
/// and a run must not fail because nobody listens.
final class Talk: Sendable {
  private let output: Output
  let options: TalkOptions
  private let isColored: Bool
  private let clocks: any Clocks
  /// Writes happen under the lock, else frame and lines would mix: a terminal that stands still (Ctrl-S) stops who talks.
  /// The threads that move bytes therefore never talk; they count, and one task shows the counts.
  private let display: Lock<ProgressDisplay>

  init(options: TalkOptions, output: Output = .talk, terminal: TerminalTraits, clocks: any Clocks) {
    self.output = output
    self.options = options
    self.clocks = clocks
    isColored = terminal.usesColor(options.color)
    display = Lock(
      ProgressDisplay(mode: ProgressDisplay.Mode(talk: options, terminal: terminal), start: clocks.monotonic()))
  }

  /// Says one thing, if the verbosity lets it.
  func say(_ event: LogEvent) {
    guard event.isSaid(at: options.verbosity) else { return }
    let text =
      switch options.logFormat {
      case .text: LogLine.text(event, isColored: isColored)
      case .json: LogLine.json(event, at: clocks.utc())
      }
    display.withLock { put($0.interrupt(with: text, columns: columns)) }
  }

  /// Shows how far the run is; may be called as often as one likes.
  func show(_ snapshot: ProgressSnapshot) {
    display.withLock { display in
      let text = display.update(snapshot, at: clocks.monotonic(), utc: clocks.utc(), columns: columns)
      if let text { put(text) }
    }
  }

  /// Takes the progress frame away; call it before results are printed.
  func finishProgress() {
    display.withLock { put($0.finish()) }
  }

  private var columns: Int { TerminalTraits.columns(of: output.descriptor) }

  private func put(_ text: String) {
    guard !text.isEmpty else { return }
    try? output.write(text)
  }
}
