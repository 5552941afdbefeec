// When progress is shown, and what must be written for it: a value machine, snapshots in, text out.
// Drawing is `ProgressFrame`; writing is `Talk`.

import TransferModel

/// Shows progress on a terminal, in a log, or not at all.
struct ProgressDisplay: Sendable {
  /// How progress is shown.
  enum Mode: Hashable, Sendable {
    /// Nothing (`-q`).
    case silent
    /// A frame that is drawn over, at most ten times a second.
    case frame(isColored: Bool)
    /// A line every 30 seconds, for logs.
    case lines
    /// The same as one JSON object a line.
    case events
  }

  static let redrawInterval = Duration.milliseconds(100)
  static let lineInterval = Duration.seconds(30)

  let mode: Mode
  /// When something was last shown; at first the start of the run, so that a log gets no line at 0 %.
  private var shown: MonotonicInstant
  private var snapshot: ProgressSnapshot?
  /// The lines that stand on the terminal and will be drawn over.
  private var linesOnScreen = 0

  init(mode: Mode, start: MonotonicInstant) {
    self.mode = mode
    shown = start
  }

  /// What to write for this snapshot; nil when it is too early, or nothing is shown.
  /// - Parameter columns: the terminal's width now; not used by logs.
  mutating func update(
    _ snapshot: ProgressSnapshot, at now: MonotonicInstant, utc: Timestamp, columns: Int
  ) -> String? {
    switch mode {
    case .silent: return nil
    case .frame(let isColored):
      guard linesOnScreen == 0 || now - shown >= Self.redrawInterval else { return nil }
      shown = now
      self.snapshot = snapshot
      return draw(ProgressFrame(columns: columns, isColored: isColored).lines(of: snapshot))
    case .lines:
      guard now - shown >= Self.lineInterval else { return nil }
      shown = now
      return ProgressFrame.plainLine(of: snapshot) + "\n"
    case .events:
      guard now - shown >= Self.lineInterval else { return nil }
      shown = now
      return LogLine.json(snapshot, at: utc)
    }
  }

  /// What to write so that `text` (whole lines) stands above the frame.
  mutating func interrupt(with text: String, columns: Int) -> String {
    guard case .frame(let isColored) = mode, linesOnScreen > 0, let snapshot else { return text }
    let erased = erase()
    return erased + text + draw(ProgressFrame(columns: columns, isColored: isColored).lines(of: snapshot))
  }

  /// What to write at the end of the run: the frame goes away.
  mutating func finish() -> String {
    let text = erase()
    snapshot = nil
    return text
  }

  /// Over the old frame, line by line without erasing first, so that nothing flickers (ECMA-48: CUU, EL, ED).
  private mutating func draw(_ lines: [String]) -> String {
    let up = linesOnScreen > 0 ? "\u{1B}[\(linesOnScreen)A\r" : ""
    linesOnScreen = lines.count
    return up + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }

  private mutating func erase() -> String {
    guard linesOnScreen > 0 else { return "" }
    defer { linesOnScreen = 0 }
    return "\u{1B}[\(linesOnScreen)A\r\u{1B}[J"
  }
}

extension ProgressDisplay.Mode {
  /// How progress is shown for these options on this standard error:
  ///
  /// | `-q` | `--log-format` | terminal | shown |
  /// | --- | --- | --- | --- |
  /// | yes | any | any | nothing |
  /// | no | json | any | events |
  /// | no | text | yes | the frame |
  /// | no | text | no | lines |
  init(talk: TalkOptions, terminal: TerminalTraits) {
    self =
      switch (talk.verbosity, talk.logFormat) {
      case (.quiet, _): .silent
      case (_, .json): .events
      case (_, .text): terminal.canRedraw ? .frame(isColored: terminal.usesColor(talk.color)) : .lines
      }
  }
}
