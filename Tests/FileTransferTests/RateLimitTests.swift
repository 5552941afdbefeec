// Rates on a clock that the test moves: the rate of the time of day, its changes, and each host by itself.

import FileTransfer
import Testing
import TransferModel

@Suite("Rate limits")
struct RateLimitTests {
  private func instant(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(sinceOrigin: .milliseconds(Int64(seconds * 1_000)))
  }

  private func origin(_ host: String) -> Origin { Origin(scheme: .https, host: host, port: 443) }

  /// Takes chunks, waiting as it is told, and returns how many units were had until the end.
  private func drain(
    _ limiter: RateLimiter, chunk: Int64, from start: Double, until end: Double, _ now: Lock<Double>
  ) -> Int64 {
    var taken: Int64 = 0
    var time = start
    while time < end {
      now.withLock { $0 = time }
      let wait = limiter.take(chunk, now: instant(time)).inSeconds
      taken += chunk
      time += max(wait, 0.000_001)
    }
    return taken
  }

  @Test("within 5 % of the rate, whatever the chunks", arguments: [1, 16, 100, 512] as [Int64])
  func accuracy(kibibytes: Int64) {
    let now = Lock(0.0)
    let rate: Int64 = 4 << 20
    let limiter = RateLimiter(RateTable(rate), start: instant(0), secondOfDay: { 0 })
    let taken = drain(limiter, chunk: kibibytes << 10, from: 0, until: 20, now)
    #expect(abs(Double(taken) / 20 / Double(rate) - 1) < 0.05)
  }

  @Test("the rate of the row that begins holds from then on, in both directions")
  func boundary() throws {
    let now = Lock(0.0)
    // Second 0 of the test is 07:59:50; the run works for 20 seconds over 08:00 and 08:00:10.
    let table = try RateTable([
      RateTable.Row(from: 0, rate: 1_000), RateTable.Row(from: 28_800, rate: 10_000),
      RateTable.Row(from: 28_810, rate: 1_000),
    ])
    let limiter = RateLimiter(
      table, start: instant(0), secondOfDay: { 28_790 + Int(now.withLock { $0 }) })
    #expect(abs(Double(drain(limiter, chunk: 100, from: 0, until: 10, now)) - 10_000) < 500)
    #expect(abs(Double(drain(limiter, chunk: 100, from: 10, until: 20, now)) - 100_000) < 5_000)
    #expect(abs(Double(drain(limiter, chunk: 100, from: 20, until: 30, now)) - 10_000) < 1_000)
  }

  @Test("a wait ends where the rate changes, and nothing is waited for when there is no limit")
  func waitEnds() throws {
    let table = try RateTable([RateTable.Row(from: 0, rate: 10), RateTable.Row(from: 100, rate: 0)])
    let now = Lock(95.0)
    let limiter = RateLimiter(table, start: instant(0), secondOfDay: { Int(now.withLock { $0 }) })
    #expect(limiter.take(10_000, now: instant(0)) == .seconds(5))
    now.withLock { $0 = 100 }
    #expect(limiter.take(10_000, now: instant(5)) == .zero)
    #expect(limiter.take(10_000, now: instant(6)) == .zero)
  }

  @Test("a local time that leaps is followed")
  func leap() throws {
    let table = try RateTable([RateTable.Row(from: 0, rate: 10), RateTable.Row(from: 3_600, rate: 0)])
    let now = Lock(0)
    let limiter = RateLimiter(table, start: instant(0), secondOfDay: { now.withLock { $0 } })
    #expect(limiter.take(100, now: instant(0)) == .seconds(10))
    now.withLock { $0 = 3_700 }
    #expect(limiter.take(100, now: instant(31)) == .zero)
  }

  @Test("each host has its own rate, and all together have one")
  func hosts() {
    let limits = RateLimits(
      RateLimits.Tables(bytes: 1_000, bytesPerHost: 100, requestsPerHost: 1), start: instant(0))
    #expect(limits.takeBytes(50, from: origin("a"), now: instant(0)) == .milliseconds(500))
    #expect(limits.takeBytes(50, from: origin("b"), now: instant(0)) == .milliseconds(500))
    #expect(limits.takeBytes(900, from: origin("c"), now: instant(0)) == .seconds(9))
    #expect(limits.takeBytes(0, from: nil, now: instant(0)) == .seconds(1))
    #expect(limits.takeRequest(to: origin("a"), now: instant(0)) == .seconds(1))
    #expect(limits.takeRequest(to: origin("b"), now: instant(0)) == .seconds(1))
    #expect(limits.takeRequest(to: origin("a"), now: instant(0)) == .seconds(2))
  }
}
