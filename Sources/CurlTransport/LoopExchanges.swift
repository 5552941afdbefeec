// The exchanges of one loop, waiting and under way. Both are asked for several times an exchange; by a dictionary that was
// 2,600 instructions, more than half of what the loop does with one by itself.

import TransferModel

/// Those that have a handle; a few dozen.
struct RunningSlots {
  private var slots: [ExchangeSlot] = []

  var isEmpty: Bool { slots.isEmpty }

  /// In no order. A copy, so that slots may end while they are looked at.
  var all: [ExchangeSlot] { slots }

  /// Looks at each. For what happens once in a while, as a cancellation.
  subscript(id: ExchangeID) -> ExchangeSlot? { slots.first { $0.id == id } }

  func contains(_ slot: ExchangeSlot) -> Bool { slots.indices.contains(slot.place) && slots[slot.place] === slot }

  mutating func insert(_ slot: ExchangeSlot) {
    slot.place = slots.count
    slots.append(slot)
  }

  /// Without effect when it is not in there.
  mutating func remove(_ slot: ExchangeSlot) {
    guard contains(slot), let last = slots.popLast(), last !== slot else { return }
    slots[slot.place] = last
    last.place = slot.place
  }
}

/// Those that have none yet, in the order of their ids, which is that of their start. Mostly they leave in that order.
struct WaitingExchanges<Value> {
  /// Those before `head` have left; nil has left out of turn.
  private var entries: [(id: ExchangeID, value: Value?)] = []
  private var head = 0

  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var ids: [ExchangeID] { entries[head...].compactMap { $0.value == nil ? nil : $0.id } }

  /// - Parameter id: greater than any before.
  mutating func append(_ value: Value, as id: ExchangeID) {
    entries.append((id, value))
    count += 1
  }

  /// nil when it is not there.
  mutating func remove(_ id: ExchangeID) -> Value? {
    guard let place = place(of: id), let value = entries[place].value.take() else { return nil }
    count -= 1
    if count == 0 {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if place == head {
      while entries[head].value == nil { head += 1 }
      if head >= 1024 {
        entries.removeFirst(head)
        head = 0
      }
    }
    return value
  }

  private func place(of id: ExchangeID) -> Int? {
    var (low, high) = (head, entries.count)
    if low < high, entries[low].id == id { return low }
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id.value < id.value { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? low : nil
  }
}
