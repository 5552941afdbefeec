// Timers as a value: a heap by deadline. It knows no clock; the loop asks it what is due.

import TransferModel

/// Timers fire in the order of their deadlines, those of the same instant in the order in which they were set.
struct TimerQueue {
  private struct Entry {
    let deadline: MonotonicInstant
    let id: TimerID

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? id.value < other.id.value : deadline < other.deadline
    }
  }

  /// A binary heap; cancelled timers stay in it until they come up, or until they outnumber the live ones.
  private var heap: [Entry] = []
  private var actions: [TimerID: () -> Void] = [:]
  private var lastID: UInt64 = 0

  var isEmpty: Bool { actions.isEmpty }

  mutating func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
    lastID += 1
    let id = TimerID(lastID)
    actions[id] = action
    push(Entry(deadline: deadline, id: id))
    return id
  }

  mutating func cancel(_ id: TimerID) {
    guard actions.removeValue(forKey: id) != nil, heap.count > 64, heap.count > 2 * actions.count else { return }
    let live = heap.filter { actions[$0.id] != nil }
    heap.removeAll(keepingCapacity: true)
    for entry in live { push(entry) }
  }

  /// The deadline of the next timer.
  mutating func nextDeadline() -> MonotonicInstant? {
    while let first = heap.first {
      if actions[first.id] != nil { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Takes out the next timer that is due.
  mutating func popDue(at now: MonotonicInstant) -> (() -> Void)? {
    while let first = heap.first, first.deadline <= now {
      removeFirst()
      if let action = actions.removeValue(forKey: first.id) { return action }
    }
    return nil
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
