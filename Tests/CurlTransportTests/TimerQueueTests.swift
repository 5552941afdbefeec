import Testing
import TransferModel

@testable import CurlTransport

/// The heap of timers, without a clock.
@Suite struct TimerQueueTests {
  private func instant(_ milliseconds: Int) -> MonotonicInstant {
    MonotonicInstant(sinceOrigin: .milliseconds(milliseconds))
  }

  @Test func `due timers come by deadline, and of the same deadline in the order they were set`() {
    var queue = TimerQueue()
    var fired: [String] = []
    for (number, deadline) in [30, 10, 20, 10, 40, 10].enumerated() {
      _ = queue.schedule(at: instant(deadline)) { fired.append("\(deadline)/\(number)") }
    }
    #expect(queue.nextDeadline() == instant(10))
    while let action = queue.popDue(at: instant(30)) { action() }
    #expect(fired == ["10/1", "10/3", "10/5", "20/2", "30/0"])
    #expect(queue.nextDeadline() == instant(40))
    #expect(!queue.isEmpty)
  }

  @Test func `cancelled timers neither fire nor stay`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    let ids = (0..<1_000).map { number in queue.schedule(at: instant(number)) { fired.append(number) } }
    for (number, id) in ids.enumerated() where number % 10 != 3 { queue.cancel(id) }
    queue.cancel(ids[0])
    #expect(queue.nextDeadline() == instant(3))
    while let action = queue.popDue(at: instant(2_000)) { action() }
    #expect(fired == Array(stride(from: 3, to: 1_000, by: 10)))
    #expect(queue.isEmpty)
    #expect(queue.nextDeadline() == nil)
  }
}
