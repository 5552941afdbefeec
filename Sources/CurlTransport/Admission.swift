// Which waiting exchange may run next. A value; it holds ids only and starts nothing.
//
// libcurl would queue by itself (`CURLMOPT_MAX_HOST_CONNECTIONS`, set as a second fence), and rightly: measured with
// 7.88, neither the connect timeout nor the speed limit runs meanwhile. Here a waiting exchange needs no handle, and a
// host that is full holds up no other.

import TransferModel

/// First come, first served per host; hosts take turns.
struct Admission {
  /// How a host's connections are used.
  private enum Way {
    /// Not known before the first head. So few exchanges that each may have a connection of its own, should it come to
    /// that: libcurl asks for more than it needs while it does not know either.
    case unknown
    /// One exchange at a time each.
    case serial
    /// Many exchanges at a time each (HTTP/2).
    case multiplexed
  }

  private struct Host {
    var running = 0
    var way: Way
    var limit: Int
    var waiting: [ExchangeID] = []
    /// How many of `waiting` have been served; they are dropped in bulk.
    var served = 0
    /// Chooses the limit; nil = it was asked for.
    var pace: HostPace?

    /// Takes out the first of those that wait, if it may run; it does from now on.
    mutating func takeIfReady() -> (id: ExchangeID, hasMore: Bool)? {
      guard isReady else { return nil }
      let id = waiting[served]
      served += 1
      running += 1
      if !hasWork {
        waiting.removeAll(keepingCapacity: true)
        served = 0
      } else if served >= 1024 {
        waiting.removeFirst(served)
        served = 0
      }
      return (id, hasWork)
    }

    /// Returns how many more hosts need connections by this.
    mutating func change(_ body: (inout Host) -> Void) -> Int {
      let before = needsConnections
      body(&self)
      return (needsConnections ? 1 : 0) - (before ? 1 : 0)
    }

    var hasWork: Bool { served < waiting.count }
    var isReady: Bool { hasWork && running < limit }
    /// At work, and in need of a connection for each exchange.
    var needsConnections: Bool { way == .serial && (running > 0 || hasWork) }
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
  private let multiplexed: Int
  /// nil = hosts get what was asked for.
  private let firstPace: HostPace?
  /// The most connections that a host has come to.
  private var widest: Int
  private var running = 0
  private var hosts: [Origin: Host] = [:]
  /// How many of them need connections.
  private var needy = 0
  /// Hosts with waiting exchanges, in turn.
  private var turns: [Origin] = []

  /// - Parameters:
  ///   - mostPerHost: what a host may come to by its pace; nil = `connectionsPerHost` is what was asked for.
  ///   - connectionsMultiplexed: to a host that speaks HTTP/2.
  init(slots: Int, connectionsPerHost: Int, mostPerHost: Int? = nil, connectionsMultiplexed: Int = 1) {
    self.slots = slots
    perHost = connectionsPerHost
    widest = connectionsPerHost
    firstPace = mostPerHost.map { HostPace(first: connectionsPerHost, most: $0) }
    multiplexed = min(connectionsPerHost, connectionsMultiplexed)
  }

  mutating func enqueue(_ id: ExchangeID, for origin: Origin) {
    var wasIdle = false
    let append: (inout Host) -> Void = { host in
      wasIdle = !host.hasWork
      host.waiting.append(id)
    }
    if !change(origin, append) {
      hosts[origin] = newHost(origin)
      change(origin, append)
    }
    if wasIdle { turns.append(origin) }
  }

  /// Whether `next` would give something.
  var hasNext: Bool { running < slots && turns.contains { hosts[$0]?.isReady == true } }

  /// Takes out the next exchange that may run. It counts as running until `finish`.
  mutating func next() -> Ticket? {
    guard running < slots else { return nil }
    for turn in turns.indices {
      let origin = turns[turn]
      guard let index = hosts.index(forKey: origin), let taken = hosts.values[index].takeIfReady() else { continue }
      running += 1
      turns.remove(at: turn)
      if taken.hasMore { turns.append(origin) }
      return Ticket(id: taken.id, origin: origin)
    }
    return nil
  }

  /// The exchange that `next` gave has ended, or never began.
  ///
  /// - Parameter wasAnswered: false lifts the caution for a host of which nothing is known: one that does not answer would
  ///   hold up all that is asked of it.
  mutating func finish(_ origin: Origin, wasAnswered: Bool = true) {
    running -= 1
    change(origin) { $0.running -= 1 }
    if !wasAnswered, hosts[origin]?.way == .unknown { use(origin, .serial) }
    guard hosts.count > Self.keptHosts, let host = hosts[origin] else { return }
    if host.running == 0 && !host.hasWork && host.way != .multiplexed { hosts[origin] = nil }
  }

  /// Without TLS there is no HTTP/2 here.
  private func newHost(_ origin: Origin) -> Host {
    let way = origin.scheme == .http ? Way.serial : .unknown
    return Host(way: way, limit: limit(way, firstPace), pace: firstPace)
  }

  private func limit(_ way: Way, _ pace: HostPace?) -> Int {
    switch way {
    case .serial: pace?.width ?? perHost
    case .unknown: min(pace?.width ?? .max, multiplexed)
    case .multiplexed: min(pace?.width ?? .max, multiplexed * Self.streamsPerConnection)
    }
  }

  /// The host answered by this version of HTTP: with 2, its connections carry many exchanges.
  mutating func note(_ origin: Origin, majorVersion: Int) {
    use(origin, majorVersion >= 2 ? .multiplexed : .serial)
  }

  private mutating func use(_ origin: Origin, _ way: Way) {
    guard let index = hosts.index(forKey: origin), hosts.values[index].way != way else { return }
    var pace = hosts.values[index].pace
    if way == .multiplexed { pace?.share() }
    let limit = limit(way, pace)
    if way == .serial { widest = max(widest, limit) }
    change(origin) { host in
      host.way = way
      host.pace = pace
      host.limit = limit
    }
  }

  /// The connections to one host that libcurl is to be held to (`CURLMOPT_MAX_HOST_CONNECTIONS` knows no hosts): those of
  /// HTTP/2 while no other host is at work. A server that allows fewer streams than `streamsPerConnection` would be opened
  /// one more connection for each exchange beyond them (measured with 7.88).
  var connectionFence: Int { needy > 0 || hosts.isEmpty ? widest : multiplexed }

  /// Changes a host; false when there is none.
  @discardableResult
  private mutating func change(_ origin: Origin, _ body: (inout Host) -> Void) -> Bool {
    guard let index = hosts.index(forKey: origin) else { return false }
    needy += hosts.values[index].change(body)
    return true
  }
}

/// Hosts whose limit is chosen.
extension Admission {
  /// Exchanges that the hosts with work would be given; 0 when the limits were asked for.
  var places: Int {
    guard firstPace != nil else { return 0 }
    return hosts.values.reduce(0) { $1.running > 0 || $1.hasWork ? $0 + $1.limit : $0 }
  }

  /// Whether as many exchanges run as the host is given.
  func isFull(_ origin: Origin) -> Bool { hosts[origin].map { $0.running >= $0.limit } ?? false }

  /// False when the host has no pace, or is forgotten.
  @discardableResult
  mutating func changePace(of origin: Origin, _ change: (inout HostPace) -> Void) -> Bool {
    guard let index = hosts.index(forKey: origin), var pace = hosts.values[index].pace else { return false }
    change(&pace)
    let way = hosts.values[index].way
    hosts.values[index].pace = pace
    hosts.values[index].limit = limit(way, pace)
    if way == .serial { widest = max(widest, pace.width) }
    return true
  }
}
