// What a run is bound to beside its manifest: a lock file, a written plan, a choice of destinations, a shard.

import MirrorPlan
import TransferModel

/// Stands between the resolver and whoever does the work. A value of shared parts; any task may use it.
struct RunScope: Sendable {
  /// nil = no lock file binds the run.
  var binder: LockBinder?
  /// nil = no written plan binds it.
  var gate: PlanGate?
  /// The only destinations that are looked at; nil = all.
  var selection: Set<RelativePath>?
  /// The part of them that is; nil = all of it.
  var shard: Shard?
  /// Told of everything that is wanted; nil = nobody is.
  var wanted: LockNotes?
  /// Whether nothing is asked of any server (`mirror plan --offline`).
  var isOffline = false

  init() {}

  /// What stands in place of an answer then.
  static func notLookedUp(_ place: String) -> TransferFailure {
    TransferFailure(.notLookedUp, .permanent, "\(place) was not looked up")
  }

  /// The work as it may be done.
  func check(_ work: [PlannedWork]) -> [PlannedWork] {
    guard binder != nil || gate != nil || wanted != nil else { return work }
    return work.map { item in
      var item = item
      if let binder { item = binder.check(item) }
      if let gate { item = gate.check(item) }
      wanted?.add(item)
      return item
    }
  }

  /// Whether some destinations are not looked at.
  var isSelective: Bool { selection != nil || shard != nil }

  func includes(_ destination: RelativePath) -> Bool { selects(destination) && owns(destination) }

  func selects(_ destination: RelativePath) -> Bool { selection?.contains(destination) ?? true }

  /// Whether it is not left to another shard.
  func owns(_ destination: RelativePath) -> Bool { shard?.owns(destination) ?? true }

  /// Whether a tree may have something that is looked at.
  func touches(_ tree: Tree) -> Bool {
    guard let selection, let folder = tree.destination else { return true }
    let prefix = folder.text + "/"
    return selection.contains { $0.text.utf8.starts(with: prefix.utf8) }
  }
}
