// What every transfer of a run shares: clocks, credentials, limits, and what was learned about hosts.

package import TransferModel

/// Shared by all transfers of one run; every part may be used from any thread.
package struct TransferServices: Sendable {
  package let transport: any HTTPTransport
  package let clocks: any Clocks
  package let authorizer: any RequestAuthorizer
  package let hosts: HostMemory
  /// Body bytes a second, all transfers together; nil = no limit.
  package let byteRate: RateLimiter?
  /// Requests a second, all hosts together; nil = no limit.
  package let requestRate: RateLimiter?
  /// Removes secrets from text that came from a server, before it is stored anywhere.
  package let redact: @Sendable (String) -> String

  package init(
    transport: any HTTPTransport, clocks: any Clocks, authorizer: any RequestAuthorizer = AnonymousAuthorizer(),
    hosts: HostMemory = HostMemory(),
    byteRate: RateLimiter? = nil, requestRate: RateLimiter? = nil,
    redact: @escaping @Sendable (String) -> String
  ) {
    self.transport = transport
    self.clocks = clocks
    self.authorizer = authorizer
    self.hosts = hosts
    self.byteRate = byteRate
    self.requestRate = requestRate
    self.redact = redact
  }
}

/// A `TokenBucket` that several threads take from.
package final class RateLimiter: Sendable {
  private let bucket: Lock<TokenBucket>

  package init(rate: Int64, start: MonotonicInstant) {
    bucket = Lock(TokenBucket(rate: rate, start: start))
  }

  package func take(_ units: Int64, now: MonotonicInstant) -> Duration {
    bucket.withLock { $0.take(units, now: now) }
  }
}

/// What this run has learned about hosts, so that one item's lesson serves the others.
package final class HostMemory: Sendable {
  private struct Lesson {
    var notBefore: MonotonicInstant?
    var ignoresRanges = false
  }

  private let lessons = Lock<[Origin: Lesson]>([:])

  package init() {}

  /// A host that asked for a pause gets it from every transfer, not only from the one that it told (P23).
  package func pause(_ origin: Origin, until instant: MonotonicInstant) {
    lessons.withLock { lessons in
      let known = lessons[origin, default: Lesson()].notBefore
      lessons[origin, default: Lesson()].notBefore = max(known ?? instant, instant)
    }
  }

  /// How long to wait before the next request to this host; zero when it may be asked now.
  package func wait(for origin: Origin, now: MonotonicInstant) -> Duration {
    lessons.withLock { lessons in
      guard let instant = lessons[origin]?.notBefore, instant > now else { return .zero }
      return instant - now
    }
  }

  /// Remembers that ranges are useless on this host, so that no later item asks for one (P17).
  package func noteIgnoresRanges(_ origin: Origin) {
    lessons.withLock { $0[origin, default: Lesson()].ignoresRanges = true }
  }

  package func ignoresRanges(_ origin: Origin) -> Bool {
    lessons.withLock { $0[origin]?.ignoresRanges ?? false }
  }
}
