// Whether a name matches a glob: all states that may be reached are walked at once, so that no pattern takes more than
// (length of the pattern) × (length of the name) steps.

extension Glob {
  /// Whether the whole name matches.
  package func matches(_ name: String) -> Bool {
    let states = program.states
    let words = states.count / 64 + 1
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { buffer in
      buffer.initialize(repeating: 0)
      var current = UnsafeMutableBufferPointer(rebasing: buffer[..<words])
      var next = UnsafeMutableBufferPointer(rebasing: buffer[words...])
      Self.enter(0, of: states, in: current)
      for scalar in name.unicodeScalars {
        next.update(repeating: 0)
        var isAlive = false
        for word in 0..<words {
          var bits = current[word]
          while bits != 0 {
            let state = word << 6 | bits.trailingZeroBitCount
            bits &= bits - 1
            guard state < states.count, let target = Self.target(of: state, states[state], taking: scalar) else {
              continue
            }
            Self.enter(target, of: states, in: next)
            isAlive = true
          }
        }
        guard isAlive else { return false }
        swap(&current, &next)
      }
      return current[states.count >> 6] & (1 << UInt64(states.count & 63)) != 0
    }
  }

  /// Where the state goes when it takes the scalar; nil when it does not take it.
  private static func target(of index: Int, _ state: GlobProgram.State, taking scalar: Unicode.Scalar) -> Int? {
    switch state {
    case .literal(let wanted): scalar == wanted ? index + 1 : nil
    case .one: scalar == "/" ? nil : index + 1
    case .oneOf(let scalars): scalars.contains(scalar) ? index + 1 : nil
    case .many(let crossesSlash): crossesSlash || scalar != "/" ? index : nil
    case .fork: nil
    }
  }

  /// Marks a state and all that it reaches without taking a scalar. Jumps only go forward, so this ends; its depth is that
  /// of the nesting of braces.
  private static func enter(
    _ start: Int, of states: [GlobProgram.State], in set: UnsafeMutableBufferPointer<UInt64>
  ) {
    var index = start
    while true {
      let bit: UInt64 = 1 << UInt64(index & 63)
      if set[index >> 6] & bit != 0 { return }
      set[index >> 6] |= bit
      guard index < states.count else { return }
      switch states[index] {
      case .many: index += 1
      case .fork(let targets):
        for target in targets.dropLast() { enter(target, of: states, in: set) }
        guard let last = targets.last else { return }
        index = last
      case .literal, .one, .oneOf: return
      }
    }
  }
}
