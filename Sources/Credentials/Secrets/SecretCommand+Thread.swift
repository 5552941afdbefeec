// A thread for a command that is run while transfers go on.

import Glibc
import TransferModel

extension SecretCommand {
  /// Runs `work` on a thread of its own, which ends with it. Where no thread can be had, it is run here.
  static func runAside(_ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, main, box.toOpaque()) == 0 else {
      box.takeRetainedValue().body()
      return
    }
    pthread_detach(thread)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
    guard let argument else { return nil }
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}
