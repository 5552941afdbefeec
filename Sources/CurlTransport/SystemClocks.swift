// The real clocks and the real dice; everything below takes them as parameters.

import Glibc
package import TransferModel

/// `Clocks` of this machine.
package struct SystemClocks: Clocks {
  package init() {}

  package func monotonic() -> MonotonicInstant { MonotonicInstant(sinceOrigin: Self.read(CLOCK_MONOTONIC)) }

  package func utc() -> Timestamp {
    let sinceEpoch = Self.read(CLOCK_REALTIME).components
    return Timestamp(seconds: sinceEpoch.seconds, nanoseconds: Int32(sinceEpoch.attoseconds / 1_000_000_000))
  }

  package func random() -> Double { Double.random(in: 0..<1) }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
