// Holds what a run left and said against what it should have left and said. Every sentence it gives is a broken promise.

import MirrorPlan
import TestSupport
import TransferModel

struct ModelJudge {
  /// What the run was up against.
  enum Weather: Equatable {
    case clean
    /// The server had faults, or the run was told to stop: everything may fail, as long as it is said.
    case rough
    /// Nobody was there to hear what it said.
    case killed
  }

  let manifest: ModelManifest
  let wanted: WantedTree
  /// What was wanted when the run began; another than `wanted` when objects were replaced meanwhile.
  let wantedFirst: WantedTree
  let before: [String: TreeEntry]
  let after: [String: TreeEntry]
  let ran: ModelWorld.Ran
  let weather: Weather
  let books: ModelBooks
  let trash: [String: [[UInt8]]]
  /// Whether lists may have left things out without anybody's noticing.
  let listsLie: Bool
  private let rows: [String: [EntryOutcome]]
  private(set) var problems: [String] = []

  init(
    _ manifest: ModelManifest, _ wanted: WantedTree, first: WantedTree? = nil, before: [String: TreeEntry],
    after: [String: TreeEntry],
    _ ran: ModelWorld.Ran, _ weather: Weather, _ books: ModelBooks, trash: [String: [[UInt8]]],
    listsLie: Bool
  ) {
    self.listsLie = listsLie
    wantedFirst = first ?? wanted
    (self.manifest, self.wanted, self.before, self.after) = (manifest, wanted, before, after)
    (self.ran, self.weather, self.books, self.trash) = (ran, weather, books, trash)
    rows = Dictionary(grouping: ran.outcomes, by: \.destination)
    judge()
  }

  private mutating func judge() {
    let wants = wantedFirst.files.merging(wanted.files) { _, last in last }
    for path in wants.keys.sorted() { if let want = wants[path] { judge(path, want) } }
    for path in Set(before.keys).union(after.keys).sorted() where wants[path] == nil { judgeOther(path) }
    judgeRefused()
    if weather != .killed { judgeDeletions() }
  }

  // MARK: What is wanted

  private mutating func judge(_ path: String, _ want: Want) {
    let (was, now) = (before[path], after[path])
    var contents = [want.bytes, wantedFirst.files[path]?.bytes]
    // It was wanted when the run began, and replaced before another object got in its way.
    if wanted.files[path] == nil { contents.append(wanted.listed[path]) }
    let isRight = contents.contains { $0.map { now?.kind == .file($0) } ?? false }
    guard isRight else {
      // What a list leaves out is not wanted as far as anyone can know.
      if let was, now == nil, was.kind == .folder || (listsLie && want.owner != nil) {
        judgeLoss(was)
      } else if was == nil, now?.kind == .folder, isParent(path) {
        // Before or after objects were replaced, another was wanted below that name.
      } else if !isUntouched(was, now) {
        problems.append("\(path) was \(Self.words(was)) and is \(Self.words(now)), which nobody wants")
      }
      return judgeExcuse(path, want, was)
    }
    guard weather == .clean else { return }
    if let mode = want.mode, now?.mode != mode {
      problems.append("\(path) has mode \(String(now?.mode ?? 0, radix: 8))")
    }
    for row in rows[path] ?? [] where row.failure != nil && !isExcused(path, want, was) {
      problems.append("\(path) is right and failed: \(row.failure?.message ?? "")")
    }
    if rows[path]?.count != 1, ran.refusal == nil { problems.append("\(path) has \(rows[path]?.count ?? 0) rows") }
    let moved = rows[path]?.first?.outcome == .downloaded || rows[path]?.first?.outcome == .updated
    if moved, let was, was.inode == now?.inode, was.kind == now?.kind {
      problems.append("\(path) is said to be \(rows[path]?.first?.outcome.rawValue ?? "") and was not")
    }
  }

  /// What is not right has a row that says why, and in good weather a good reason too.
  private mutating func judgeExcuse(_ path: String, _ want: Want, _ was: TreeEntry?) {
    guard weather != .killed, ran.refusal == nil else { return }
    let row = rows[path]?.first
    let isKept = row?.outcome == .unchanged && (row?.reason == .localChange || row?.reason == .localDiffers)
    let isSaid =
      row?.failure != nil || isKept || (want.owner != nil && !ran.complaints.isEmpty)
      || ((ran.wasStopped || listsLie) && want.owner != nil)
    if !isSaid {
      problems.append("\(path) is not right, and its row says \(row.map { "\($0.outcome) \($0.reason)" } ?? "nothing")")
    }
    if isKept, want.policy != .keep, !listsLie { problems.append("\(path) was kept against the manifest") }
    if weather == .clean, !isExcused(path, want, was) {
      let why = row?.failure?.message ?? row.map { "\($0.outcome) \($0.reason)" } ?? "no row"
      problems.append("\(path) could have been right and is not: \(why); was \(Self.words(was))")
    }
  }

  /// Whether nothing could be done about it.
  private func isExcused(_ path: String, _ want: Want, _ was: TreeEntry?) -> Bool {
    if !want.isObtainable { return true }
    if WantedTree.folders(above: path).contains(where: { before[$0].map { $0.kind != .folder } ?? false }) {
      return true
    }
    switch was?.kind {
    case .folder, .other: return true
    case .link: return want.policy != .overwrite
    case .file: return want.policy != .overwrite && !books.isKnown(was)
    case nil: return false
    }
  }

  private mutating func judgeRefused() {
    guard weather == .clean, ran.refusal == nil, ran.complaints.isEmpty else { return }
    for name in wanted.refused where rows[name]?.first?.failure == nil {
      problems.append("object \(name) cannot be had, and no row says so")
    }
    for path in wanted.folders where after[path]?.kind != .folder {
      let isBlocked = (WantedTree.folders(above: path) + [path]).contains {
        before[$0].map { $0.kind != .folder } ?? false
      }
      if !isBlocked { problems.append("the folder \(path) is not there") }
    }
  }

  // MARK: What is not wanted

  private mutating func judgeOther(_ path: String) {
    switch (before[path], after[path]) {
    case (let was?, nil): judgeLoss(was)
    case (nil, let now?):
      let isMarker = [wanted, wantedFirst].contains { $0.folders.contains { $0 == path || $0.hasPrefix(path + "/") } }
      if now.kind != .folder || !(isParent(path) || isMarker) { problems.append("\(now) came from nowhere") }
    case (let was?, _?) where isGone(path): judgeLoss(was)
    case (let was?, let now?):
      if !isUntouched(was, now) { problems.append("\(was) is not mirror's, and became \(now)") }
    case (nil, nil): break
    }
  }

  private func isParent(_ path: String) -> Bool {
    [wanted, wantedFirst].contains { $0.files.keys.contains { $0.hasPrefix(path + "/") } }
  }

  /// Whether what stood there is no more: nothing stands there now, or a folder of something that is wanted.
  private func isGone(_ path: String) -> Bool {
    guard let now = after[path] else { return true }
    return now.kind == .folder && before[path]?.kind != .folder && isParent(path)
  }

  /// Something is gone: only what mirror had put there itself, for a tree that prunes, and as it was.
  private mutating func judgeLoss(_ was: TreeEntry) {
    guard was.kind != .folder else {
      if !books.hadFile(below: was.path) { problems.append("the folder \(was.path) was not mirror's, and is gone") }
      return
    }
    guard let tree = manifest.trees.first(where: { $0.prunes && was.path.hasPrefix($0.folder) }) else {
      problems.append("\(was) is gone, and nothing prunes there")
      return
    }
    if !books.mayDelete(was) { problems.append("\(was) is not as mirror had left it, and is gone") }
    if case .file(let bytes) = was.kind, tree.keepsTrash, trash[was.path]?.contains(bytes) != true {
      problems.append("\(was) is gone and not in the trash")
    }
    if weather != .killed, rows[was.path]?.contains(where: { $0.outcome == .deleted }) != true {
      problems.append("\(was) is gone, and no row says so")
    }
  }

  private mutating func judgeDeletions() {
    for row in ran.outcomes where row.outcome == .deleted && !isGone(row.destination) {
      problems.append("\(row.destination) is said to be deleted, and is there")
    }
    guard weather == .clean, ran.refusal == nil else { return }
    for tree in manifest.trees where tree.prunes {
      let gone = books.files.values.filter { file in
        file.owner == tree.owner && wanted.files[file.entry.path] == nil
          && wanted.listed[file.entry.path] == nil && books.isKnown(before[file.entry.path])
      }
      let isSure = books.files.values.allSatisfy { $0.isCertain || $0.owner != tree.owner && $0.owner != nil }
      let isAllowed = wanted.counts[tree.owner, default: 0] > 0 && Self.isWithin(tree.cap, gone.count)
      if isSure, isAllowed {
        for file in gone where !isGone(file.entry.path) {
          problems.append("\(file.entry) is mirror's and no longer wanted, and was not pruned")
        }
      } else if isSure, case .count = tree.cap, gone.contains(where: { after[$0.entry.path] == nil }) {
        problems.append("\(gone.count) files are more than may be pruned, and some were")
      }
    }
  }

  private static func isWithin(_ cap: PruneSettings.Cap, _ count: Int) -> Bool {
    switch cap {
    case .count(let limit): count <= limit
    case .percent(let limit): limit >= 100
    }
  }

  // MARK: Words

  private func isUntouched(_ was: TreeEntry?, _ now: TreeEntry?) -> Bool {
    guard let was, let now else { return was == nil && now == nil }
    // A folder's time and inode are not its content; a killed run's folders are copies.
    if was.kind == .folder { return now.kind == .folder && was.mode == now.mode }
    return was == now
  }

  private static func words(_ entry: TreeEntry?) -> String { entry.map { "\($0)" } ?? "nothing" }
}
