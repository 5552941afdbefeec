// The registry of observers as a value: rows K as far as they need no task, and what the outbox promises.

import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

/// A registry of numbered reports, and whoever is called.
private struct Room {
  var registry = ObserverRegistry<Int>()
  let calls = Lock<[String]>([])

  @discardableResult
  mutating func add(_ name: String, _ status: StorageTaskStatus, present: Int? = nil) -> Bool {
    registry.add(name, for: status, present: present) { [calls] report in
      calls.withLock { $0.append("\(name)\(report)") }
    }
  }

  mutating func complete(_ name: String) -> Bool {
    registry.addCompletion { [calls] report in calls.withLock { $0.append("\(name)\(report)") } }
  }

  /// Redeems one ticket.
  mutating func tell() {
    guard let delivery = registry.take() else { return }
    for handle in delivery.handles { registry.handler(handle)?(delivery.report) }
    for completion in delivery.completions { completion(delivery.report) }
    _ = registry.finish(delivery)
  }

  var told: [String] { calls.withLock { $0 } }
}

@Suite("Who is told what")
struct ObserverRegistryTests {
  @Test("K01: every registration is called")
  func twice() {
    var room = Room()
    room.add("a", .progress)
    room.add("b", .progress)
    let due1 = room.registry.post(.progress, 1)
    #expect(due1)
    room.tell()
    #expect(room.told == ["a1", "b1"])
  }

  @Test("K02 K15: removing what is not there is nothing")
  func unknownHandle() {
    var room = Room()
    let due2 = room.registry.remove("x").isEmpty
    #expect(due2)
    room.add("a", .success)
    let due3 = room.registry.postEnd(.success, 1)
    #expect(due3)
    room.tell()
    let due4 = room.registry.remove("a").isEmpty
    #expect(due4)
  }

  @Test("K03: removing one leaves the other")
  func removeOne() {
    var room = Room()
    room.add("a", .progress)
    room.add("b", .progress)
    let due5 = room.registry.remove("a").count == 1
    #expect(due5)
    let due6 = room.registry.post(.progress, 1)
    #expect(due6)
    room.tell()
    #expect(room.told == ["b1"])
  }

  @Test("K04: removing one kind leaves the others")
  func removeKind() {
    var room = Room()
    room.add("a", .progress)
    room.add("b", .success)
    let due7 = room.registry.removeAll(for: .progress).count == 1
    #expect(due7)
    let due8 = room.registry.post(.progress, 1)
    #expect(!due8, "nobody is there to be told")
    let due9 = room.registry.postEnd(.success, 2)
    #expect(due9)
    room.tell()
    #expect(room.told == ["b2"])
  }

  @Test("K05: removing all observers leaves the completion")
  func removeAll() {
    var room = Room()
    room.add("a", .success)
    let due10 = room.complete("done")
    #expect(!due10)
    let due11 = room.registry.removeAll(for: nil).count == 1
    #expect(due11)
    let due12 = room.registry.postEnd(.success, 1)
    #expect(due12)
    room.tell()
    #expect(room.told == ["done1"])
  }

  @Test("K06 K07 K08: an observer that comes after the end is told once, and then forgotten")
  func late() {
    var room = Room()
    let due13 = room.registry.postEnd(.failure, 1)
    #expect(!due13)
    let due14 = room.add("a", .failure, present: 1)
    #expect(due14)
    #expect(!room.registry.isEmpty)
    room.tell()
    #expect(room.told == ["a1"])
    #expect(room.registry.isEmpty)
    let due15 = room.add("b", .progress)
    #expect(!due15, "no progress is made after the end")
    #expect(room.registry.isEmpty)
  }

  @Test("K09 K10: a state that holds already is told at once, and only to the new observer")
  func present() {
    var room = Room()
    room.add("a", .pause)
    let due16 = room.add("b", .pause, present: 7)
    #expect(due16)
    room.tell()
    #expect(room.told == ["b7"])
    let due17 = room.registry.post(.pause, 8)
    #expect(due17)
    room.tell()
    #expect(room.told == ["b7", "a8", "b8"])
  }

  @Test("K11: between the end and its telling, a new observer is told once")
  func exactlyOnce() {
    var room = Room()
    room.add("a", .success)
    let due18 = room.registry.postEnd(.success, 1)
    #expect(due18)
    let due19 = room.add("b", .success, present: 1)
    #expect(due19)
    room.tell()
    room.tell()
    #expect(room.told == ["a1", "b1"])
    #expect(room.registry.isEmpty)
  }

  @Test("K12: after the end has been told nobody is left, whatever they waited for")
  func emptied() {
    var room = Room()
    room.add("a", .progress)
    room.add("b", .pause)
    let due20 = room.registry.postEnd(.success, 1)
    #expect(due20)
    room.tell()
    #expect(room.told.isEmpty)
    #expect(room.registry.isEmpty)
  }

  @Test("K14: no call after removal, even for a report that waits already")
  func removedWhileWaiting() {
    var room = Room()
    room.add("a", .pause)
    let due21 = room.registry.post(.pause, 1)
    #expect(due21)
    let due22 = room.registry.remove("a").count == 1
    #expect(due22)
    room.tell()
    #expect(room.told.isEmpty)
  }

  @Test("K16: an observer of `unknown` is never called and not kept")
  func unknown() {
    var room = Room()
    let due23 = room.add("a", .unknown, present: 1)
    #expect(!due23)
    #expect(room.registry.isEmpty)
  }

  @Test("an observer is told nothing of what was before it")
  func before() {
    var room = Room()
    room.add("a", .pause)
    let due24 = room.registry.post(.pause, 1)
    #expect(due24)
    room.add("b", .pause)
    room.tell()
    #expect(room.told == ["a1"])
  }

  @Test("progress that nobody has been told yet is made up to date, without another ticket")
  func coalescing() {
    var room = Room()
    room.add("a", .progress)
    room.add("b", .pause)
    let due25 = room.registry.post(.progress, 1)
    #expect(due25)
    let due26 = room.registry.post(.progress, 2)
    #expect(!due26)
    let due27 = room.registry.post(.progress, 3)
    #expect(!due27)
    let due28 = room.registry.post(.pause, 4)
    #expect(due28)
    let due29 = room.registry.post(.progress, 5)
    #expect(due29, "behind the pause it is another one")
    for _ in 0..<3 { room.tell() }
    #expect(room.told == ["a3", "b4", "a5"])
  }

  @Test("a completion that comes after the end is called with it; nothing is told after the end")
  func afterTheEnd() {
    var room = Room()
    let due30 = room.registry.postEnd(.success, 1)
    #expect(!due30)
    let due31 = room.complete("done")
    #expect(due31)
    let due32 = room.registry.post(.progress, 2) && !room.registry.postEnd(.failure, 3)
    #expect(!due32)
    room.tell()
    #expect(room.told == ["done1"])
    let more = room.registry.take() != nil
    #expect(!more)
  }
}
