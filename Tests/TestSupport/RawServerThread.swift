// A thread for `RawServer`: its connections block, and blocking calls do not belong in the cooperative pool.

import Glibc

final class RawServerThread: Sendable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Body(body)).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument)
    precondition(result == 0, "pthread_create failed with \(result)")
    self.thread = thread
  }

  /// To be called once.
  func join() { pthread_join(thread, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
