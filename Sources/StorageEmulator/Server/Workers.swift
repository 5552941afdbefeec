// Threads for answers that take their time, so that no other connection waits for them.

import Glibc
import TransferModel

/// Starts one thread for each piece of work, and can wait until all of them are done.
final class Workers: Sendable {
  private struct State {
    var running = 0
    var isStopping = false
  }

  private let state = Lock(State())
  /// Its read end becomes readable when the workers are to stop.
  let stopPipe: (read: Int32, write: Int32)

  /// nil with errno when the pipe cannot be made.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stopPipe = (ends[0], ends[1])
  }

  deinit {
    close(stopPipe.read)
    close(stopPipe.write)
  }

  /// False when the workers are stopping or no thread can be had; `work` is not run then. `prepare` runs before the
  /// thread starts.
  func start(preparing prepare: () -> Void, _ work: @escaping @Sendable () -> Void) -> Bool {
    let mayStart = state.withLock { state in
      guard !state.isStopping else { return false }
      state.running += 1
      return true
    }
    guard mayStart else { return false }
    prepare()
    let box = Unmanaged.passRetained(
      Work {
        work()
        self.state.withLock { $0.running -= 1 }
      })
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 << 10)
    let result = pthread_create(&thread, &attributes, { Work.run($0) }, box.toOpaque())
    guard result == 0 else {
      // The work still owes its connection an end: do it here, late as it is.
      Work.run(box.toOpaque())
      return true
    }
    return true
  }

  /// Tells all to stop and waits until they have; they look at the pipe in all their waits.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    if isFirst {
      var byte: UInt8 = 1
      _ = write(stopPipe.write, &byte, 1)
    }
    while state.withLock({ $0.running > 0 }) { usleep(1_000) }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    @discardableResult
    static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
      return nil
    }
  }
}
