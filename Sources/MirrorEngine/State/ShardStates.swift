// The states that runs of shards leave beside that of the whole root. A run that has the root alone brings them together
// first, so that nothing it decides stands on half of what is known.

import Glibc
import LocalFiles
import MirrorPlan
import TransferModel

/// The states of shards below one root: `shard-3-of-8.db` beside `state.db`.
struct ShardStates: Sendable {
  private static let stem = "shard-"

  /// Where the state of the whole root lies.
  let whole: StateLocation

  init(beside whole: StateLocation) { self.whole = whole }

  /// The name of a shard's state, its lock and its lists.
  static func name(of shard: Shard) -> String { stem + shard.fileStem }

  /// Lists beside a state. A shard has its own.
  enum List: String, CaseIterable {
    /// What changed that nobody was told of yet.
    case changed
    /// What a run began to fetch, whether or not the state has heard of it.
    case begun
  }

  /// The name of a list; nil = of the run that has the root alone.
  static func name(of list: List, of shard: Shard?) -> String {
    shard.map { name(of: $0) + "." + list.rawValue } ?? list.rawValue
  }

  func location(of shard: Shard) -> StateLocation {
    StateLocation(root: whole.root, name: Self.name(of: shard))
  }

  /// The shards that have left a state, in no order. A folder that is not there has none.
  func standing() throws(TransferFailure) -> [Shard] {
    try whole.fileNames().compactMap { Self.shard(ofFile: $0) }
  }

  /// The shard whose state has that file name; nil for any other file.
  static func shard(ofFile name: String) -> Shard? {
    guard name.hasPrefix(stem), name.hasSuffix(".db") else { return nil }
    let words = name.dropFirst(stem.count).dropLast(3).split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 3, words[1] == "of" else { return nil }
    return Shard(parsing: "\(words[0])/\(words[2])")
  }

  /// Brings what shards have found out into the state of the whole root, and removes their states. The caller has the root
  /// alone. Interrupted, it is done again by the next who has it.
  ///
  /// Returns whether there was anything to bring together.
  func gather(_ notify: (StateNotice) -> Void) throws(TransferFailure) -> Bool {
    let shards = try standing()
    guard !shards.isEmpty else { return false }
    // Before the state hears of them, as ever.
    for kind in List.allCases {
      let list = try DestinationList(in: whole.folder, name: Self.name(of: kind, of: nil))
      for shard in shards { try list.takeOver("\(whole.folder)/\(Self.name(of: kind, of: shard))") }
    }
    var notices: [StateNotice] = []
    defer { notices.forEach(notify) }
    let state = try StateDatabase.forWriting(whole, notices: &notices)
    for shard in shards {
      let location = location(of: shard)
      // Opening it repairs what a killed run left, and makes an earlier layout the present one.
      _ = try StateDatabase.forWriting(location, notices: &notices)
      do throws(SQLiteError) {
        try StateGathering(from: location, shard: shard).run(into: state.connection)
      } catch {
        throw error.failure("bring together the states of shards", at: location.file)
      }
      // The file itself goes last: while it is there, it is met again.
      for suffix in StateLocation.companions + [""] { unlink(location.file + suffix) }
      unlink("\(whole.folder)/\(RootLock.fileName(ofShare: location.name))")
    }
    return true
  }

  /// Makes the state of the whole root, or brings it to the present layout, so that shards can begin with it.
  func makeWhole(_ notify: (StateNotice) -> Void) throws(TransferFailure) {
    var notices: [StateNotice] = []
    defer { notices.forEach(notify) }
    _ = try StateDatabase.forWriting(whole, notices: &notices)
  }
}
