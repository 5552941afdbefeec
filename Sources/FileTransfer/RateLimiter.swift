// Keeps rates: of everything together, and of each host by itself. The arithmetic is `TokenBucket`, which rate holds when is
// `RateTable`.

package import TransferModel

/// A `TokenBucket` that several threads take from, with the rate that holds at the time. Any thread.
package final class RateLimiter: Sendable {
  private struct State {
    /// nil = there is no limit now.
    var bucket: TokenBucket?
    /// When the time of day is looked at again.
    var lookAgain: MonotonicInstant
    /// When the rate becomes another.
    var change: MonotonicInstant?
  }

  /// The local time may be set, or leap by an hour, while a run works; it is looked at this often.
  private static let lookInterval = Duration.seconds(30)

  private let table: RateTable
  private let secondOfDay: @Sendable () -> Int
  private let state: Lock<State>

  /// - Parameters:
  ///   - start: now.
  ///   - secondOfDay: the local time now, in seconds since midnight; asked for now and then when `table` has several rows.
  package init(_ table: RateTable, start: MonotonicInstant, secondOfDay: @escaping @Sendable () -> Int) {
    self.table = table
    self.secondOfDay = secondOfDay
    state = Lock(State(bucket: nil, lookAgain: start))
  }

  /// Takes units, and returns how long to wait before taking more; no longer than until the rate changes.
  package func take(_ units: Int64, now: MonotonicInstant) -> Duration {
    state.withLock { state in
      if now >= state.lookAgain { look(&state, now) }
      guard let wait = state.bucket?.take(units, now: now) else { return .zero }
      guard let change = state.change else { return wait }
      return min(wait, max(.zero, change - now))
    }
  }

  private func look(_ state: inout State, _ now: MonotonicInstant) {
    let second = table.rows.count > 1 ? secondOfDay() : 0
    let rate = table.rate(at: second)
    if rate == 0 {
      state.bucket = nil
    } else if state.bucket == nil {
      state.bucket = TokenBucket(rate: rate, start: now)
    } else {
      state.bucket?.setRate(rate, now: now)
    }
    guard let seconds = table.untilChange(after: second) else {
      state.lookAgain = now + (table.rows.count > 1 ? Self.lookInterval : .seconds(1 << 32))
      return
    }
    let change = now + .seconds(seconds)
    state.change = change
    state.lookAgain = min(change, now + Self.lookInterval)
  }
}

/// The limits of a run. Any thread.
package final class RateLimits: Sendable {
  package struct Tables: Hashable, Sendable {
    /// Body bytes a second, all transfers together.
    package var bytes: RateTable
    package var bytesPerHost: RateTable
    /// Requests a second, all hosts together.
    package var requests: RateTable
    package var requestsPerHost: RateTable

    package init(
      bytes: RateTable = 0, bytesPerHost: RateTable = 0, requests: RateTable = 0, requestsPerHost: RateTable = 0
    ) {
      self.bytes = bytes
      self.bytesPerHost = bytesPerHost
      self.requests = requests
      self.requestsPerHost = requestsPerHost
    }
  }

  private struct Hosts {
    var limiters: [Origin: RateLimiter] = [:]
  }

  private let tables: Tables
  private let start: MonotonicInstant
  private let secondOfDay: @Sendable () -> Int
  private let bytes: RateLimiter?
  private let requests: RateLimiter?
  private let bytesByHost = Lock(Hosts())
  private let requestsByHost = Lock(Hosts())
  /// Whether body bytes are counted at all.
  package let limitsBytes: Bool

  package init(
    _ tables: Tables = Tables(), start: MonotonicInstant = MonotonicInstant(sinceOrigin: .zero),
    secondOfDay: @escaping @Sendable () -> Int = { 0 }
  ) {
    self.tables = tables
    self.start = start
    self.secondOfDay = secondOfDay
    func limiter(_ table: RateTable) -> RateLimiter? {
      table.isUnlimited ? nil : RateLimiter(table, start: start, secondOfDay: secondOfDay)
    }
    bytes = limiter(tables.bytes)
    requests = limiter(tables.requests)
    limitsBytes = !tables.bytes.isUnlimited || !tables.bytesPerHost.isUnlimited
  }

  /// Body bytes have come from a host; how long to wait before taking more.
  package func takeBytes(_ count: Int64, from host: @autoclosure () -> Origin?, now: MonotonicInstant) -> Duration {
    guard limitsBytes else { return .zero }
    let own = host().flatMap { limiter(of: $0, in: bytesByHost, tables.bytesPerHost) }
    return max(bytes?.take(count, now: now) ?? .zero, own?.take(count, now: now) ?? .zero)
  }

  /// A request is about to be sent to a host; how long to wait first.
  package func takeRequest(to host: Origin, now: MonotonicInstant) -> Duration {
    let own = limiter(of: host, in: requestsByHost, tables.requestsPerHost)
    return max(requests?.take(1, now: now) ?? .zero, own?.take(1, now: now) ?? .zero)
  }

  private func limiter(of host: Origin, in hosts: Lock<Hosts>, _ table: RateTable) -> RateLimiter? {
    guard !table.isUnlimited else { return nil }
    return hosts.withLock { hosts in
      if let known = hosts.limiters[host] { return known }
      let limiter = RateLimiter(table, start: start, secondOfDay: secondOfDay)
      hosts.limiters[host] = limiter
      return limiter
    }
  }
}
