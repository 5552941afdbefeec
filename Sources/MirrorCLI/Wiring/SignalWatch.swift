// Signals as events: blocked everywhere, waited for on one thread.
// A `DispatchSource` would trap when its handler runs off the main actor; a handler in the C sense could do next to nothing.

import Glibc

/// Watches for the signals that end a run.
enum SignalWatch {
  /// The signals that stop a run in good order.
  private static let stopping: [Int32] = [SIGINT, SIGTERM, SIGHUP]

  /// Blocks the signals in this thread and in every thread that it will start. To be called first in `main`, before any
  /// other thread exists.
  static func block() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A reader that goes away is an error of the write (EPIPE), not the end of the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Calls `first` with the number of the first signal, on a thread of its own; a second signal ends the process at
  /// once with 128 + its number. Part files may stay behind; final names are never half written.
  static func start(first: @escaping @Sendable (Int32) -> Void) {
    let box = Unmanaged.passRetained(Handler(first))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let handler = Unmanaged<Handler>.fromOpaque(argument).takeRetainedValue()
        var set = SignalWatch.set
        var number: Int32 = 0
        guard sigwait(&set, &number) == 0 else { return nil }
        handler.call(number)
        guard sigwait(&set, &number) == 0 else { return nil }
        _exit(128 + number)
      }, box.toOpaque())
    if result == 0 { pthread_detach(thread) } else { box.release() }
  }

  /// Ends the process as a signal would: for commands that have nothing to save.
  static func endProcess(_ number: Int32) { _exit(128 + number) }

  /// What is said when a signal comes.
  static func sentence(_ number: Int32) -> String {
    let name =
      switch number {
      case SIGINT: "SIGINT"
      case SIGTERM: "SIGTERM"
      default: "signal \(number)"
      }
    return "\(name): stopping in good order; once more to stop at once"
  }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in stopping { sigaddset(&set, number) }
    return set
  }

  private final class Handler: Sendable {
    let call: @Sendable (Int32) -> Void
    init(_ call: @escaping @Sendable (Int32) -> Void) { self.call = call }
  }
}
