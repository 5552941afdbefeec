// Holds the entries of one run against a lock file. What a promise is, is `MirrorPlan.LockEntry`'s.

package import MirrorPlan
package import TransferModel

/// What a run does with the lock file.
package enum LockPolicy: Sendable {
  /// It is not looked at.
  case ignored
  /// Every entry is what the lock says, or fails. Trees are listed, so that a tree that has changed is noticed.
  case locked(LockFile)
  /// The same, and nothing is listed and no metadata is asked: the lock says what the trees have.
  case frozen(LockFile)
  /// The lock is written anew at the end. `only` names the destinations that are taken as they are now, the others stay
  /// as locked; nil = all are taken as they are now.
  case update(LockFile?, only: Set<RelativePath>?)

  package var isFrozen: Bool {
    if case .frozen = self { true } else { false }
  }

  package var isUpdate: Bool {
    if case .update = self { true } else { false }
  }
}

/// Binds entries to what the lock promises, and remembers which promises were met. Any thread.
final class LockBinder: Sendable {
  let lock: LockFile
  private let policy: LockPolicy
  private let state: Lock<State>

  private struct State {
    var isSeen: [Bool]
    /// Trees were not listed to the end, so what was not seen may be there all the same.
    var hasFailedListing = false
  }

  /// nil when the policy binds nothing.
  init?(_ policy: LockPolicy) {
    switch policy {
    case .ignored, .update(nil, _), .update(_, only: nil): return nil
    case .locked(let lock), .frozen(let lock), .update(let lock?, _): self.lock = lock
    }
    self.policy = policy
    state = Lock(State(isSeen: Array(repeating: false, count: lock.count)))
  }

  var isFrozen: Bool { policy.isFrozen }

  /// Whether every entry of the run is bound.
  var bindsEverything: Bool { !policy.isUpdate }

  /// Whether a destination is not asked about, because the lock speaks for it.
  func speaks(for destination: RelativePath) -> Bool {
    switch policy {
    case .ignored: false
    case .locked, .frozen: true
    case .update(_, let only): only?.contains(destination) == false && lock.place(of: destination) != nil
    }
  }

  /// Puts what the lock promises in the place of what the remote side says. Returns why that cannot be: `lock_drift`.
  func bind(_ facts: inout EntryFacts) -> TransferFailure? {
    let destination = facts.entry.destination
    guard speaks(for: destination) else { return nil }
    guard let place = lock.place(of: destination), let promise = lock.entry(at: place) else {
      return .drift("\(TerminalText.escape(destination.text)) is not in the lock file", updating: destination)
    }
    state.withLock { $0.isSeen[place] = true }
    do throws(TransferFailure) {
      facts.entry = try facts.entry.bound(to: promise)
    } catch {
      return error
    }
    if case .locked = policy, case .present(let listed) = facts.remote, promise.isContradicted(by: listed) {
      return .drift(
        "\(TerminalText.escape(destination.text)): the object is another than the locked one"
          + (listed.generation.map { " (generation \($0))" } ?? ""), updating: destination)
    }
    facts.remote = .present(promise.version)
    facts.locked = promise
    return nil
  }

  /// Keeps what is locked from being deleted, and notes what keeps the run from seeing everything.
  func check(_ work: PlannedWork) -> PlannedWork {
    switch work {
    case .listingFailed:
      state.withLock { $0.hasFailedListing = true }
    case .entry(let item) where item.decision.action == .delete && speaks(for: item.facts.entry.destination):
      let destination = item.facts.entry.destination
      guard let place = lock.place(of: destination) else { break }
      state.withLock { $0.isSeen[place] = true }
      return .entry(DecidedEntry(item.facts, .failed(Self.gone(destination))))
    case .entry, .refused, .notTried, .folder, .vacated: break
    }
    return work
  }

  /// Entries that are locked and that no tree has any more, once everything was listed.
  var unmet: [LockEntry] {
    guard case .locked = policy else { return [] }
    let state = state.withLock { $0 }
    guard !state.hasFailedListing else { return [] }
    return state.isSeen.indices.compactMap { state.isSeen[$0] ? nil : lock.entry(at: $0) }
  }

  static func gone(_ destination: RelativePath) -> TransferFailure {
    .drift("\(TerminalText.escape(destination.text)) is locked, and its tree has it no more", updating: destination)
  }
}
