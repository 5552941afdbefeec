// What a loop sees of its hosts, for those whose number of exchanges is chosen: it looks, `HostPace` decides.

import TransferModel

/// What was seen since the last reviews.
struct HostWatch {
  struct Host {
    /// When the sight began, and the sleep and the body bytes up to then.
    var since: MonotonicInstant
    var asleepBefore: Duration
    var bytesBefore: Int64 = 0
    var ended = 0
    /// Body bytes of all exchanges that have ended.
    var bytesEnded: Int64 = 0
  }

  /// How often the hosts are looked at.
  static let interval = Duration.milliseconds(10)

  var hosts: [Origin: Host] = [:]
  var nextLook: MonotonicInstant?
}

extension CurlLoop {
  var worthRunning: Int { admission.places }

  private var choosesPace: Bool { configuration.mostConnectionsPerHost != nil }

  func noteOverload(of origin: Origin) {
    let now = now
    admission.changePace(of: origin) { $0.complain(at: now) }
  }

  /// Before the exchange's place is given to another.
  func noteEnd(_ end: ExchangeEnd, of slot: ExchangeSlot) {
    guard choosesPace else { return }
    var host = watch.hosts[slot.origin] ?? HostWatch.Host(since: now, asleepBefore: idleTime)
    host.bytesEnded += end.bytesReceived
    if end.asksForLess(status: slot.framing?.status) {
      noteOverload(of: slot.origin)
    } else if slot.framing != nil {
      host.ended += 1
    }
    watch.hosts[slot.origin] = host
  }

  /// When every exchange that may run does, so that a host with an empty place has no use for more.
  func reviewHosts() {
    guard choosesPace, !watch.hosts.isEmpty else { return }
    let now = now
    if let next = watch.nextLook, now < next { return }
    watch.nextLook = now + HostWatch.interval
    var underWay: [Origin: Int64] = [:]
    for slot in running.all { underWay[slot.origin, default: 0] += slot.bytesReceived }
    for (origin, host) in watch.hosts {
      let bytes = host.bytesEnded + (underWay[origin] ?? 0)
      let sight = HostPace.Sight(
        elapsed: now - host.since, asleep: idleTime - host.asleepBefore, ended: host.ended,
        bytes: bytes - host.bytesBefore, isFull: admission.isFull(origin))
      var isDone = false
      guard admission.changePace(of: origin, { isDone = $0.review(sight, at: now) }) else {
        watch.hosts[origin] = nil
        continue
      }
      guard isDone else { continue }
      var next = HostWatch.Host(since: now, asleepBefore: idleTime)
      next.bytesBefore = bytes
      next.bytesEnded = host.bytesEnded
      watch.hosts[origin] = next
    }
  }
}

extension ExchangeEnd {
  /// Whether the host said, in whatever way, that it has too much to do. A connection that is used again may have been
  /// closed for its age.
  func asksForLess(status: Int?) -> Bool {
    if status == 429 || status == 503 { return true }
    guard case .failed(let fault) = result else { return false }
    switch fault.kind {
    case .connectionRefused, .connectTimeout, .stalled: return true
    case .connectionReset, .emptyReply: return !connectionWasReused
    default: return false
    }
  }
}
