// One thread, its inbox, and how it is started and ended. What runs on it is `CurlLoop`.

import CCurl
import Glibc
import TransferModel

typealias LoopWork = @Sendable (any TransferLoop) -> Void

/// The part of a loop that other threads may touch.
final class LoopThread: Sendable {
  private let mailbox: LoopMailbox
  /// nil once joined. Held while joining, so that a second caller waits as well; the loop's thread never takes it.
  private let handle: Lock<pthread_t?>
  private let identity: pthread_t

  init(index: Int, configuration: CurlTransport.Configuration) throws(CurlTransport.SetupFailure) {
    let mailbox = try LoopMailbox()
    self.mailbox = mailbox
    let loop = try CurlLoop(index: index, configuration: configuration, mailbox: mailbox)
    // The loop is made here, so that set-up can fail before there is a thread, and from then on touched by its thread
    // alone: the retain passes through the thread's argument.
    let argument = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let result = Self.withSignalsBlocked {
      pthread_create(&thread, nil, loopThreadMain, argument.toOpaque())
    }
    guard result == 0 else {
      argument.takeRetainedValue().dispose()
      throw CurlTransport.SetupFailure(call: "pthread_create", reason: String(cString: strerror(result)))
    }
    identity = thread
    handle = Lock(thread)
  }

  var isCurrent: Bool { pthread_equal(pthread_self(), identity) != 0 }
  var statistics: CurlStatistics { mailbox.statistics.withLock { $0 } }

  func run(_ work: @escaping LoopWork) { mailbox.post(work) }

  /// Asks the thread to end everything and return.
  func stop() { mailbox.requestStop() }

  /// Waits for the thread. On that thread itself, where the transport's last owner may let go of it, the thread is left
  /// to end by itself.
  func join() {
    let onItself = isCurrent
    handle.withLock { thread in
      guard let running = thread else { return }
      thread = nil
      if onItself { pthread_detach(running) } else { pthread_join(running, nil) }
    }
  }

  /// A new thread inherits the mask: signals go to the thread that waits for them, never to a loop.
  private static func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    let masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0
    defer { if masked { pthread_sigmask(SIG_SETMASK, &before, nil) } }
    return body()
  }
}

private let loopThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
  guard let argument else { return nil }
  let loop = Unmanaged<CurlLoop>.fromOpaque(argument).takeRetainedValue()
  loop.runUntilStopped()
  loop.dispose()
  return nil
}
