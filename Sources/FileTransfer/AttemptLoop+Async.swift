// The attempts of one small request as an async call.

import TransferModel

/// A client that is asked for something when its attempts have succeeded.
protocol ResultingClient: AttemptClient, SendableMetatype {
  associatedtype Outcome: Sendable
  /// nil when nothing was kept.
  var outcome: Outcome? { get }
}

extension TransferServices {
  /// Runs a client's attempts on one loop and gives what it kept. The cancellation of the surrounding task ends them.
  func run<Client: ResultingClient>(
    onLoop index: Int, policy: RetryPolicy, deadline: Duration?, _ makeClient: @escaping @Sendable () -> Client
  ) async throws(TransferFailure) -> Client.Outcome? {
    let cancelled = TransferFailure(.cancelled, .cancelled, "the request was cancelled")
    let running = LoopConfined<AttemptLoop?>(nil)
    let isCancelled = Lock(false)  // for a cancellation that overtakes the start
    let result: Result<Client.Outcome?, TransferFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transport.run(onLoop: index) { loop in
          let client = makeClient()
          let attempts = AttemptLoop(
            client: client, policy: policy, deadline: deadline, services: self, loop: loop
          ) { ended in
            running.set(nil, on: loop)
            continuation.resume(returning: ended.failure.map { .failure($0) } ?? .success(client.outcome))
          }
          running.set(attempts, on: loop)
          if isCancelled.withLock({ $0 }) { attempts.end(with: cancelled) } else { attempts.start() }
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      transport.run(onLoop: index) { loop in running.value(on: loop)?.end(with: cancelled) }
    }
    return try result.get()
  }
}
