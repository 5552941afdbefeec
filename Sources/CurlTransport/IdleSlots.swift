// Handles that wait for work, by what cannot be changed about them.

/// Nearly all handles have nothing special, so that these are found without a hash.
struct IdleSlots {
  private var small: [ExchangeSlot] = []
  private var large: [ExchangeSlot] = []
  private var special: [ExchangeSlot.Kind: [ExchangeSlot]] = [:]

  mutating func take(_ kind: ExchangeSlot.Kind) -> ExchangeSlot? {
    guard kind.connection == nil else { return special[kind]?.popLast() }
    switch kind.buffer {
    case .small: return small.popLast()
    case .large: return large.popLast()
    }
  }

  mutating func put(_ slot: ExchangeSlot) {
    guard slot.kind.connection == nil else { return special[slot.kind, default: []].append(slot) }
    switch slot.kind.buffer {
    case .small: small.append(slot)
    case .large: large.append(slot)
    }
  }
}
