// What the thing behind a descriptor can show.

import Glibc

/// Whether a stream is a terminal, and what its environment says about colours.
struct TerminalTraits: Hashable, Sendable {
  var isTerminal: Bool
  /// `NO_COLOR` is set and not empty (no-color.org).
  var refusesColor: Bool
  /// `TERM` is `dumb`: no cursor can be moved.
  var isDumb: Bool

  init(isTerminal: Bool, environment: (String) -> String?) {
    self.isTerminal = isTerminal
    refusesColor = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    isDumb = environment("TERM") == "dumb"
  }

  init(descriptor: Int32, environment: (String) -> String?) {
    self.init(isTerminal: isatty(descriptor) == 1, environment: environment)
  }

  var canRedraw: Bool { isTerminal && !isDumb }

  /// `always` and `never` win over what the environment says.
  func usesColor(_ choice: TalkOptions.Color) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: canRedraw && !refusesColor
    }
  }

  /// The width of the terminal behind a descriptor; 80 where it cannot be told.
  static func columns(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
