// What every transfer of a run shares: clocks, credentials, limits, and what was learned about hosts.

package import TransferModel

/// Shared by all transfers of one run; every part may be used from any thread. One reference, as each of them holds it.
package final class TransferServices: Sendable {
  package let transport: any HTTPTransport
  package let clocks: any Clocks
  package let authorizer: any RequestAuthorizer
  package let hosts: HostMemory
  /// Bytes and requests a second.
  package let rates: RateLimits
  /// Removes secrets from text that came from a server, before it is stored anywhere.
  package let redact: @Sendable (String) -> String

  package init(
    transport: any HTTPTransport, clocks: any Clocks, authorizer: any RequestAuthorizer = AnonymousAuthorizer(),
    hosts: HostMemory = HostMemory(),
    rates: RateLimits = RateLimits(),
    redact: @escaping @Sendable (String) -> String
  ) {
    self.transport = transport
    self.clocks = clocks
    self.authorizer = authorizer
    self.hosts = hosts
    self.rates = rates
    self.redact = redact
  }
}

/// What this run has learned about hosts, so that one item's lesson serves the others.
package final class HostMemory: Sendable {
  private struct Lesson {
    var notBefore: MonotonicInstant?
    var ignoresRanges = false
    var avoidsHead = false
    var streamResets = 0
  }

  /// HTTP/2 streams that a host may break off before it is spoken to in HTTP/1.1 (P27).
  private static let toleratedResets = 2

  private let lessons = Lock<[Origin: Lesson]>([:])
  private let note: @Sendable (String) -> Void

  /// - Parameter note: told of a lesson that the user should know, one sentence, at most once a host; on any thread.
  package init(note: @escaping @Sendable (String) -> Void = { _ in }) { self.note = note }

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

  /// Remembers that HEAD is no use on this host, so that no later item asks for it (P49).
  package func noteAvoidsHead(_ origin: Origin) {
    lessons.withLock { $0[origin, default: Lesson()].avoidsHead = true }
  }

  package func avoidsHead(_ origin: Origin) -> Bool {
    lessons.withLock { $0[origin]?.avoidsHead ?? false }
  }

  /// Counts a stream that the host broke off, so that one with a broken HTTP/2 is left to HTTP/1.1 (P27).
  package func noteStreamReset(_ origin: Origin) {
    let resets = lessons.withLock { lessons in
      lessons[origin, default: Lesson()].streamResets += 1
      return lessons[origin]?.streamResets
    }
    guard resets == Self.toleratedResets else { return }
    note("\(origin) broke off \(Self.toleratedResets) HTTP/2 streams: HTTP/1.1 is spoken there for the rest of the run")
  }

  package func avoidsHTTP2(_ origin: Origin) -> Bool {
    lessons.withLock { $0[origin]?.streamResets ?? 0 } >= Self.toleratedResets
  }
}
