// Which of several mirrors to ask next: pure.

/// Mirrors in the order of the manifest. One that failed for good is asked no more; the others take turns.
package struct MirrorRotation: Sendable {
  package enum Step: Hashable, Sendable {
    /// `current` is a mirror that was not asked in this round yet.
    case next
    /// Every mirror that is left was asked in this round; `current` is the first of them. A wait comes before it.
    case nextRound
    /// No mirror is left.
    case exhausted
  }

  package let count: Int
  package private(set) var current = 0
  private var dropped: Set<Int> = []

  package init(count: Int) { self.count = max(1, count) }

  /// Moves on from the current mirror; `dropping` = never ask it again.
  package mutating func advance(dropping: Bool) -> Step {
    if dropping { dropped.insert(current) }
    for step in 1...count {
      let candidate = (current + step) % count
      guard !dropped.contains(candidate) else { continue }
      let wrapped = current + step >= count
      current = candidate
      return wrapped ? .nextRound : .next
    }
    return .exhausted
  }
}
