// A transport with a fault that must not be: it takes requests and never answers them, or its thread hangs.

import Dispatch
import TransferModel

/// One loop on a serial queue.
final class ForgetfulTransport: HTTPTransport {
  private let queue = DispatchQueue(label: "forgetful")
  private let gate = DispatchSemaphore(value: 0)
  // Touched on the queue only.
  private nonisolated(unsafe) let loop: ForgetfulLoop

  let loopCount = 1

  /// - Parameter hangs: the first request never comes back to its thread, until `letGo`.
  init(hangs: Bool = false) {
    loop = ForgetfulLoop(queue, hangsOn: hangs ? gate : nil)
  }

  func letGo() { gate.signal() }

  func run(onLoop index: Int, _ work: @escaping @Sendable (any TransferLoop) -> Void) {
    queue.async { [self] in work(loop) }
  }

  func shutdown() {}
}

private final class ForgetfulLoop: TransferLoop {
  private let queue: DispatchQueue
  private var gate: DispatchSemaphore?
  private var handlers: [UInt64: any ExchangeHandler] = [:]
  private var cancelled: Set<UInt64> = []
  private var last: UInt64 = 0

  let index = 0
  let idleTime = Duration.zero

  init(_ queue: DispatchQueue, hangsOn gate: DispatchSemaphore?) {
    self.queue = queue
    self.gate = gate
  }

  var now: MonotonicInstant {
    MonotonicInstant(sinceOrigin: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)))
  }

  func start(_ request: HTTPRequest, delivering handler: any ExchangeHandler) -> ExchangeID {
    gate?.wait()
    gate = nil
    last += 1
    handlers[last] = handler
    return ExchangeID(last)
  }

  func cancel(_ exchange: ExchangeID) {
    handlers.removeValue(forKey: exchange.value)?.exchangeDidEnd(ExchangeEnd(result: .cancelled), on: self)
  }

  func resumeBody(of exchange: ExchangeID) {}

  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
    last += 1
    let id = last
    nonisolated(unsafe) let work = { [unowned self] in if cancelled.remove(id) == nil { action() } }
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay.inMilliseconds))) { work() }
    return TimerID(id)
  }

  func cancel(_ timer: TimerID) { cancelled.insert(timer.value) }
}
