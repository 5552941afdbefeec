// Which waiting exchange may run next. A value; it holds ids only and starts nothing.
//
// libcurl would queue by itself (`CURLMOPT_MAX_HOST_CONNECTIONS`, set as a second fence), and rightly: measured with
// 7.88, neither the connect timeout nor the speed limit runs meanwhile. Here a waiting exchange needs no handle, and a
// host that is full holds up no other.

import TransferModel

/// First come, first served per host; hosts take turns.
struct Admission {
  private struct Host {
    var running = 0
    var limit: Int
    var waiting: [ExchangeID] = []
    /// How many of `waiting` have been served; they are dropped in bulk.
    var served = 0
    /// Chooses `limit`; nil = it was asked for.
    var pace: HostPace?

    var hasWork: Bool { served < waiting.count }
    var isReady: Bool { hasWork && running < limit }
  }

  struct Ticket: Equatable {
    let id: ExchangeID
    let origin: Origin
  }

  /// Streams that servers commonly allow on one HTTP/2 connection; libcurl's own assumption too.
  static let streamsPerConnection = 100

  /// Idle hosts are forgotten beyond this number.
  private static let keptHosts = 256

  private let slots: Int
  private let perHost: Int
  /// What a host is before it is known.
  private let stranger: Host
  private var running = 0
  private var hosts: [Origin: Host] = [:]
  /// Hosts with waiting exchanges, in turn.
  private var turns: [Origin] = []

  /// - Parameter mostPerHost: what a host may come to by its pace; nil = `connectionsPerHost` is what was asked for.
  init(slots: Int, connectionsPerHost: Int, mostPerHost: Int? = nil) {
    self.slots = slots
    perHost = connectionsPerHost
    stranger = Host(
      limit: connectionsPerHost, pace: mostPerHost.map { HostPace(first: connectionsPerHost, most: $0) })
  }

  mutating func enqueue(_ id: ExchangeID, for origin: Origin) {
    let wasIdle = hosts[origin]?.hasWork != true
    hosts[origin, default: stranger].waiting.append(id)
    if wasIdle { turns.append(origin) }
  }

  /// Whether `next` would give something.
  var hasNext: Bool { running < slots && turns.contains { hosts[$0]?.isReady == true } }

  /// Takes out the next exchange that may run. It counts as running until `finish`.
  mutating func next() -> Ticket? {
    guard running < slots, let turn = turns.firstIndex(where: { hosts[$0]?.isReady == true }) else { return nil }
    let origin = turns.remove(at: turn)
    guard var host = hosts.removeValue(forKey: origin) else { return nil }
    let id = host.waiting[host.served]
    host.served += 1
    host.running += 1
    running += 1
    if host.hasWork {
      turns.append(origin)
      if host.served >= 1024 {
        host.waiting.removeFirst(host.served)
        host.served = 0
      }
    } else {
      host.waiting.removeAll(keepingCapacity: true)
      host.served = 0
    }
    hosts[origin] = host
    return Ticket(id: id, origin: origin)
  }

  /// The exchange that `next` gave has ended, or never began.
  mutating func finish(_ origin: Origin) {
    running -= 1
    hosts[origin]?.running -= 1
    guard hosts.count > Self.keptHosts, let host = hosts[origin] else { return }
    if host.running == 0 && !host.hasWork && host.limit == perHost { hosts[origin] = nil }
  }

  /// The host was seen to speak HTTP/2: its connections carry many exchanges.
  mutating func markMultiplexed(_ origin: Origin) {
    guard hosts[origin]?.pace != nil else {
      hosts[origin]?.limit = perHost * Self.streamsPerConnection
      return
    }
    changePace(of: origin) { $0.share() }
  }
}

/// Hosts whose limit is chosen.
extension Admission {
  /// Exchanges that the hosts with work would be given; 0 when the limits were asked for.
  var places: Int {
    guard stranger.pace != nil else { return 0 }
    return hosts.values.reduce(0) { $1.running > 0 || $1.hasWork ? $0 + $1.limit : $0 }
  }

  /// Whether as many exchanges run as the host is given.
  func isFull(_ origin: Origin) -> Bool { hosts[origin].map { $0.running >= $0.limit } ?? false }

  /// Gives what became of it; nil when the host's limit is not chosen.
  @discardableResult
  mutating func changePace(of origin: Origin, _ change: (inout HostPace) -> Void) -> HostPace? {
    guard let place = hosts.index(forKey: origin), var pace = hosts.values[place].pace else { return nil }
    change(&pace)
    hosts.values[place].pace = pace
    hosts.values[place].limit = pace.width
    return pace
  }
}
