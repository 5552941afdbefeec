// Where a run reads and where it writes: one folder, or with `publish: atomic` a generation that readers see and one that is
// being built. How generations become one another is `LocalFiles.GenerationStore`.

import LocalFiles
import MirrorPlan
import TransferModel

/// The folders of one run. Any thread.
final class RunGround: Sendable {
  /// Holds lock and state.
  let home: RootDirectory
  /// What stands there at the beginning; nil = nothing does.
  let reading: DirectoryCache?
  /// nil = the root is written to in place.
  let generations: GenerationStore?
  /// Whether a generation of an earlier run is gone on with.
  let goesOn: Bool
  private let capacity: Int
  /// The tree that is written to; nil = nothing has been written yet. The lock is held while the tree is linked, on purpose:
  /// whoever comes second has to wait for it.
  private let written: Lock<DirectoryCache?>

  private init(
    home: RootDirectory, reading: DirectoryCache?, written: DirectoryCache?, _ generations: GenerationStore?,
    goesOn: Bool, _ capacity: Int
  ) {
    self.home = home
    self.reading = reading
    self.generations = generations
    self.goesOn = goesOn
    self.capacity = capacity
    self.written = Lock(written)
  }

  /// A root that is written to in place.
  static func inPlace(_ root: RootDirectory, capacity: Int) -> RunGround {
    let directories = DirectoryCache(root, capacity: capacity)
    return RunGround(home: root, reading: directories, written: directories, nil, goesOn: false, capacity)
  }

  /// A root that is published by generations; goes on with one that was begun.
  static func generations(_ store: GenerationStore, capacity: Int) throws(TransferFailure) -> RunGround {
    try store.recover()
    let unfinished = try store.unfinished().map { DirectoryCache($0, capacity: capacity) }
    let current = try store.current().map { DirectoryCache($0, capacity: capacity) }
    return RunGround(
      home: store.home, reading: unfinished ?? current, written: unfinished, store, goesOn: unfinished != nil, capacity)
  }

  /// False when it is certain that nothing was ever written here.
  var mayHoldFiles: Bool { generations != nil || reading.map { !Sweep.isPointless(below: $0.root) } ?? true }

  /// Whether readers see nothing of what is written before the end.
  var isAtomic: Bool { generations != nil }

  /// The tree that was written to; nil = nothing has been.
  var begun: DirectoryCache? { written.withLock { $0 } }

  /// The tree to write to; the first who asks for it begins a generation.
  func writing() throws(TransferFailure) -> DirectoryCache {
    try written.withLock { written throws(TransferFailure) in
      if let written { return written }
      guard let generations else {
        throw TransferFailure(.internalError, .permanent, "the root has nowhere to write to")
      }
      let begun = DirectoryCache(try generations.begin(), capacity: capacity)
      written = begun
      return begun
    }
  }
}

extension MirrorRun {
  /// Where the root's generations lie; nil = the root is written to in place.
  ///
  /// Throws `usage` where the root cannot be published by generations, or is and the manifest does not say so.
  func generationLayout() throws(RunRefusal) -> GenerationStore.Layout? {
    let layout = GenerationStore.Layout(root: rootIdentity)
    let standing = layout.map { GenerationStore.standing($0) } ?? .folder
    switch (manifest.publish.mode, standing) {
    case (.inPlace, .generation):
      throw Self.unfit(
        "\(rootPath) is a link to a generation that `publish: atomic` made, and the manifest no longer says so",
        hint: "Put `publish: atomic` back, or put the generation's folder in the place of the link.")
    case (.inPlace, _): return nil
    case (.atomic, .foreign):
      throw Self.unfit(
        "\(rootPath) is neither a folder nor a link that mirror made, so it cannot be published by generations",
        hint: "Name the folder itself as the root, or move away what stands there.")
    case (.atomic, _):
      guard let layout else {
        throw Self.unfit(
          "\(rootPath) has no name of its own that could become a link, which `publish: atomic` needs",
          hint: "Choose a folder with a name as the root.")
      }
      return layout
    }
  }

  private static func unfit(_ message: String, hint: String) -> RunRefusal {
    RunRefusal(status: .usage, failure: TransferFailure(.invalidRequest, .permanent, message, hint: hint))
  }

  /// Opens what the run works on, and takes its lock.
  func openGround(
    started: Timestamp, capacity: Int
  ) throws(RunRefusal) -> (ground: RunGround, lock: RootLock) {
    guard let layout = try generationLayout() else {
      let root = try refusing { () throws(TransferFailure) in try RootDirectory(opening: rootPath, creating: true) }
      return (.inPlace(root, capacity: capacity), try lockRoot(root, started: started))
    }
    guard options.shard == nil else {
      throw Self.unfit(
        "a root that is published by generations cannot be shared by shards",
        hint: "Leave out --shard, or `publish: atomic`.")
    }
    let store = try refusing { () throws(TransferFailure) in try GenerationStore(layout, creating: true) }
    let lock: RootLock
    if GenerationStore.standing(layout) == .folder, !isStateThere(layout) {
      // The root was written to in place so far: its lock and state become those of the generations.
      let root = try refusing { () throws(TransferFailure) in try RootDirectory(opening: layout.root) }
      lock = try lockRoot(root, started: started)
      try refusing { () throws(TransferFailure) in try store.takeOwnFolder(of: root) }
    } else {
      lock = try lockRoot(store.home, started: started)
    }
    let ground = try refusing { () throws(TransferFailure) in
      try RunGround.generations(store, capacity: capacity)
    }
    return (ground, lock)
  }

  private func isStateThere(_ layout: GenerationStore.Layout) -> Bool {
    ((try? StateLocation(root: layout.folder).presence()) ?? .absent) != .absent
  }

  /// Where the state lies.
  func stateLocation() throws(RunRefusal) -> StateLocation {
    guard let layout = try generationLayout(), isStateThere(layout) || GenerationStore.standing(layout) != .folder
    else {
      return StateLocation(root: rootPath)
    }
    return StateLocation(root: layout.folder)
  }

  /// What is read by commands that change nothing: the tree that a run would go on with. nil = there is none.
  func standingRoot() throws(RunRefusal) -> RootDirectory? {
    if let layout = try generationLayout(), let store = try? GenerationStore(layout, creating: false),
      let unfinished = try? store.unfinished()
    {
      return unfinished
    }
    return try? RootDirectory(opening: rootPath)
  }
}

// MARK: - The end

extension MirrorRun {
  /// Shows the new generation to readers when everything went well; nothing is left out, nothing failed. Returns what became
  /// of it, for people; nil = there was nothing to publish.
  func publish(
    _ ground: RunGround, _ state: StateStore, _ ledger: RunLedger
  ) async -> (note: String?, isVisible: Bool) {
    guard let store = ground.generations, let tree = ground.begun else { return (nil, true) }
    guard control.stop == nil, await ledger.isClean else {
      return (
        "Not published: not everything was done, so readers still see what they saw. The next run goes on.", false
      )
    }
    guard !(ground.goesOn && isSelective) else {
      return (
        "Not published: an earlier run did not come to its end, and this one looked at some entries only.", false
      )
    }
    do throws(TransferFailure) {
      try store.takeOver(into: tree) { path throws(TransferFailure) in try state.row(for: path) != nil }
      // What is flipped to must be on the disk.
      try ground.home.sync()
      let number = try store.publish()
      try store.retire(keeping: manifest.publish.keep)
      return ("Published as generation \(number).", true)
    } catch {
      await ledger.add(error, at: rootPath)
      return ("Not published.", false)
    }
  }

  private var isSelective: Bool { options.shard != nil || options.selection != nil || options.plan != nil }
}
