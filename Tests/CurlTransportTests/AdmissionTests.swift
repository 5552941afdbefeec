import Testing
import TransferModel

@testable import CurlTransport

/// The queue of exchanges that wait for a place.
@Suite struct AdmissionTests {
  private let a = Origin(scheme: .http, host: "a")
  private let b = Origin(scheme: .http, host: "b")

  private func drain(_ admission: inout Admission) -> [UInt64] {
    var ids: [UInt64] = []
    while let ticket = admission.next() { ids.append(ticket.id.value) }
    return ids
  }

  @Test func `a host gets no more than its limit, and hosts take turns`() {
    var admission = Admission(slots: 10, connectionsPerHost: 2)
    for id in 1...4 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: a) }
    for id in 5...6 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: b) }
    #expect(drain(&admission) == [1, 5, 2, 6])
    #expect(!admission.hasNext)
    admission.finish(b)
    #expect(!admission.hasNext)
    admission.finish(a)
    #expect(admission.hasNext)
    #expect(drain(&admission) == [3])
  }

  @Test func `all hosts together get no more than the slots`() {
    var admission = Admission(slots: 3, connectionsPerHost: 2)
    for id in 1...4 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: id < 3 ? a : b) }
    #expect(drain(&admission) == [1, 3, 2])
    admission.finish(a)
    #expect(drain(&admission) == [4])
  }

  @Test func `a host that speaks HTTP 2 gets as many as its connections carry`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 64, connectionsMultiplexed: 2)
    for id in 1...300 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: secure) }
    #expect(drain(&admission) == [1, 2], "few while nothing is known")
    #expect(admission.connectionFence == 2)
    admission.note(secure, majorVersion: 2)
    #expect(drain(&admission) == Array(3...200))
    #expect(admission.connectionFence == 2)
  }

  @Test func `a host that answers in HTTP 1 gets a connection for each, also one that spoke HTTP 2 before`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 20, connectionsMultiplexed: 2)
    for id in 1...300 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: secure) }
    #expect(drain(&admission).count == 2)
    admission.note(secure, majorVersion: 1)
    #expect(drain(&admission).count == 18)
    #expect(admission.connectionFence == 20)
    admission.note(secure, majorVersion: 2)
    #expect(drain(&admission).count == 180)
    admission.note(secure, majorVersion: 1)
    #expect(drain(&admission).isEmpty)
    #expect(admission.connectionFence == 20)
  }

  @Test func `the fence of HTTP 2 holds while no other host is at work`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 20, connectionsMultiplexed: 2)
    #expect(admission.connectionFence == 20)
    admission.enqueue(ExchangeID(1), for: secure)
    admission.note(secure, majorVersion: 2)
    #expect(admission.connectionFence == 2)
    admission.enqueue(ExchangeID(2), for: a)
    #expect(admission.connectionFence == 20)
    #expect(drain(&admission) == [1, 2])
    #expect(admission.connectionFence == 20)
    admission.finish(a)
    #expect(admission.connectionFence == 2)
  }

  @Test func `a host that does not answer is asked in full breadth`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 20, connectionsMultiplexed: 2)
    for id in 1...300 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: secure) }
    #expect(drain(&admission).count == 2)
    admission.finish(secure, wasAnswered: false)
    #expect(drain(&admission).count == 19)
    #expect(admission.connectionFence == 20)
    admission.note(secure, majorVersion: 2)
    #expect(admission.connectionFence == 2)
  }

  @Test func `HTTP 2 has no more connections than the host may have at all`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 1, connectionsMultiplexed: 2)
    for id in 1...300 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: secure) }
    admission.note(secure, majorVersion: 2)
    #expect(drain(&admission).count == 100)
    #expect(admission.connectionFence == 1)
  }

  @Test func `the order holds over many exchanges and hosts`() {
    var admission = Admission(slots: 1, connectionsPerHost: 1)
    for id in 0..<5_000 as Range<UInt64> {
      admission.enqueue(ExchangeID(id), for: id < 3_000 ? a : Origin(scheme: .https, host: "h\(id)"))
    }
    var served: [UInt64] = []
    while let ticket = admission.next() {
      served.append(ticket.id.value)
      admission.finish(ticket.origin)
    }
    #expect(served.count == 5_000)
    #expect(served.filter { $0 < 3_000 } == Array(0..<3_000))
  }

  /// What the loop saw of a host whose latency alone limits it.
  private func sight(_ ended: Int) -> HostPace.Sight {
    HostPace.Sight(elapsed: .seconds(1), asleep: .seconds(1), ended: ended, bytes: 0, isFull: true)
  }

  private let start = MonotonicInstant(sinceOrigin: .seconds(100))

  @Test func `a host that is given more by its pace gets it, and no other host does`() {
    var admission = Admission(slots: 50, connectionsPerHost: 2, mostPerHost: 8)
    for id in 1...40 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: id <= 20 ? a : b) }
    #expect(drain(&admission).count == 4)
    #expect(admission.isFull(a) && admission.isFull(b) && admission.places == 4)
    admission.changePace(of: a) { pace in for _ in 1...2 { _ = pace.review(sight(100), at: start) } }
    #expect(drain(&admission) == [3, 4])
    #expect(admission.places == 6)
    #expect(admission.connectionFence == 4)
    admission.changePace(of: b) { $0.complain(at: start) }
    #expect(admission.places == 5)
    for _ in 1...2 { admission.finish(b) }
    #expect(drain(&admission).count == 1)
  }

  @Test func `a host of HTTP 2 grows in streams and not in connections`() {
    let secure = Origin(scheme: .https, host: "a")
    var admission = Admission(slots: 500, connectionsPerHost: 16, mostPerHost: 128, connectionsMultiplexed: 2)
    for id in 1...300 as ClosedRange<UInt64> { admission.enqueue(ExchangeID(id), for: secure) }
    #expect(drain(&admission).count == 2, "few while nothing is known")
    admission.note(secure, majorVersion: 2)
    #expect(drain(&admission).count == 30)
    admission.changePace(of: secure) { pace in for _ in 1...2 { _ = pace.review(sight(100), at: start) } }
    #expect(drain(&admission).count == 32)
    #expect(admission.connectionFence == 2)
  }

  @Test func `limits that were asked for have no pace`() {
    var admission = Admission(slots: 500, connectionsPerHost: 2)
    admission.enqueue(ExchangeID(1), for: a)
    #expect(!admission.changePace(of: a) { $0.complain(at: start) })
    #expect(admission.places == 0)
  }
}
