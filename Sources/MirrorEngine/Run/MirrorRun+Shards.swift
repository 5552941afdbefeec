// Runs that share a root, each with its own part of the entries, and the run that brings together what they have found out.

import LocalFiles
import MirrorPlan
import TransferModel

extension MirrorRun {
  /// Whether a shard may share the root as it stands; called while the lock is being taken.
  ///
  /// | holds the root | states of other divisions | |
  /// | --- | --- | --- |
  /// | alone | any | they are brought together first |
  /// | with others | none | shared |
  /// | with others | some | not: a run of another division is at work |
  func prepare(for shard: Shard, isAlone: Bool) throws(TransferFailure) -> Bool {
    let states = ShardStates(beside: StateLocation(root: rootPath))
    let others = try states.standing().filter { $0.count != shard.count }
    guard isAlone else { return others.isEmpty }
    if !others.isEmpty { _ = try states.gather(options.notice) }
    try states.makeWhole(options.notice)
    return true
  }

  /// Brings together what shards have found out. The run has the root alone. Returns whether there was anything.
  func gatherShards() throws(RunRefusal) -> Bool {
    let states = ShardStates(beside: try stateLocation())
    return try refusing { () throws(TransferFailure) in try states.gather(options.notice) }
  }

  /// The state to read without the root's lock.
  ///
  /// Throws `rootIsHeld` while the states of shards stand beside it that are of no use to this run: what the state says of
  /// their files may be old.
  func readableState() throws(RunRefusal) -> StateLocation {
    let whole = try stateLocation()
    let states = ShardStates(beside: whole)
    let standing = try refusing { () throws(TransferFailure) in try states.standing() }
    let own = options.shard.flatMap { standing.contains($0) ? $0 : nil }
    guard standing.allSatisfy({ $0.count == options.shard?.count }) else {
      throw RunRefusal(
        status: .rootIsHeld,
        failure: TransferFailure(
          .conflict, .local, "runs of shards work on \(rootPath), or were not brought together",
          hint: "When all of them have ended, run `mirror finalize`."))
    }
    return own.map { states.location(of: $0) } ?? whole
  }
}
