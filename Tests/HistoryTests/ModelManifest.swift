// What the user wants, as the model has it, and what follows from it by rules written down here once more: nothing of the
// planner, of the inventory or of globs is asked.

import LocalFiles
import MirrorPlan
import TransferModel

/// A manifest of items and of trees that do not overlap.
struct ModelManifest: Sendable {
  struct Item: Sendable {
    var object: String
    var destination: String
    /// The bytes whose sha256 is pinned.
    var pinned: [UInt8]?
    var policy = TransferSettings.LocalChangePolicy.overwrite
    var mode: UInt16?
    /// Asked for by its plain URL, not by an API.
    var isWeb = false
  }

  struct Tree: Sendable {
    /// Ends in a slash.
    var prefix: String
    /// nil = the root.
    var destination: String?
    /// Names that end so are left out.
    var excludedSuffix: String?
    /// Only names that end so are wanted.
    var includedSuffix: String?
    var prunes = false
    var cap = PruneSettings.Cap.percent(100)
    var keepsTrash = false
    var policy = TransferSettings.LocalChangePolicy.overwrite
    var mode: UInt16?

    /// Tells trees apart whose files are not each other's.
    var owner: String { "\(prefix) -> \(destination ?? ".")" }
    var folder: String { destination.map { $0 + "/" } ?? "" }
  }

  var api = StorageSettings.API.gcs
  var items: [Item] = []
  var trees: [Tree] = []

  /// For the story.
  var words: String {
    let items = items.map { item in
      (item.isWeb ? "URL of " : "") + "\(item.object) to \(item.destination) \(item.policy)"
        + (item.pinned.map { " pinned (\($0.count) bytes)" } ?? "")
        + (item.mode.map { " mode \(String($0, radix: 8))" } ?? "")
    }
    let trees = trees.map { tree in
      "\(tree.owner) \(tree.policy)" + (tree.prunes ? " prune \(tree.cap)" + (tree.keepsTrash ? " trash" : "") : "")
        + (tree.includedSuffix.map { " only \($0)" } ?? "") + (tree.excludedSuffix.map { " without \($0)" } ?? "")
        + (tree.mode.map { " mode \(String($0, radix: 8))" } ?? "")
    }
    return "\(api): " + (items + trees).joined(separator: "; ")
  }

  func manifest(root: String, report: String) throws -> Manifest {
    let address = { (name: String) in StorageAddress(bucket: "b", object: ObjectName(name)) }
    return Manifest(
      root: root,
      storage: StorageSettings(
        bucket: "b", api: api, emulator: Origin(scheme: .http, host: "127.0.0.1", port: 9)),
      limits: Limits(jobs: 4, perHost: 4),
      items: ItemList(
        try items.map { item in
          var pins = DigestSet()
          if let pinned = item.pinned { pins[.sha256] = try Self.sha256(pinned) }
          return MirrorPlan.Item(
            references: [
              item.isWeb
                ? .web(try HTTPURL(parsing: "http://127.0.0.1:9/b/\(item.object)")) : .storage(address(item.object))
            ], destination: try RelativePath(item.destination), pins: pins,
            settings: Self.settings(item.policy, item.mode))
        }),
      trees: try trees.map { tree in
        MirrorPlan.Tree(
          prefix: address(tree.prefix), destination: try tree.destination.map { try RelativePath($0) },
          include: try tree.includedSuffix.map { [try Glob("**/*" + $0)] } ?? [],
          exclude: try tree.excludedSuffix.map { [try Glob("**/*" + $0)] } ?? [],
          prune: PruneSettings(
            enabled: tree.prunes, cap: tree.cap, trash: tree.keepsTrash ? .seconds(86_400) : nil),
          settings: Self.settings(tree.policy, tree.mode))
      }, report: ReportTargets(json: report))
  }

  private static func sha256(_ bytes: [UInt8]) throws -> Digest? {
    let digest = try StreamingDigest([.sha256])
    bytes.withUnsafeBytes { digest.update($0) }
    return try digest.finish()[.sha256]
  }

  private static func settings(
    _ policy: TransferSettings.LocalChangePolicy, _ mode: UInt16?
  ) -> TransferSettings {
    TransferSettings(
      mode: mode, onLocalChange: policy, retry: RetryPolicy(budget: .seconds(20), initial: .seconds(1)))
  }
}

/// What one destination is to hold.
struct Want: Sendable {
  /// The right content; nil = there is none to be had.
  var bytes: [UInt8]?
  /// Whether the remote side has that content.
  var isObtainable: Bool
  var policy: TransferSettings.LocalChangePolicy
  var mode: UInt16?
  /// The tree that wants it; nil = an item.
  var owner: String?
}

/// All that a manifest wants of a bucket.
struct WantedTree {
  var files: [String: Want] = [:]
  var folders: Set<String> = []
  /// Objects that are wanted and cannot be had, by their names: another entry stands in their way.
  var refused: Set<String> = []
  /// Where those, and objects that are left out, would be: what stands there is not gone from the bucket.
  var listed: [String: [UInt8]] = [:]
  /// How many objects each tree wants, by `owner`.
  var counts: [String: Int] = [:]

  init(_ manifest: ModelManifest, of bucket: [String: [UInt8]]) {
    for item in manifest.items {
      let now = bucket[item.object]
      files[item.destination] = Want(
        bytes: item.pinned ?? now, isObtainable: now != nil && (item.pinned ?? now) == now, policy: item.policy,
        mode: item.mode)
    }
    let items = Set(files.keys)
    for tree in manifest.trees { add(tree, bucket, items, hidesMarkers: manifest.api == .firebase) }
  }

  private mutating func add(
    _ tree: ModelManifest.Tree, _ bucket: [String: [UInt8]], _ items: Set<String>, hidesMarkers: Bool
  ) {
    var mine: Set<String> = []
    counts[tree.owner] = 0
    // Firebase's lists leave out names that end in a slash.
    for name in bucket.keys.sorted() where name.hasPrefix(tree.prefix) && !(hidesMarkers && name.hasSuffix("/")) {
      let rest = String(name.dropFirst(tree.prefix.count))
      guard !rest.isEmpty else {
        if let folder = tree.destination, bucket[name]?.isEmpty == true { folders.insert(folder) }
        if bucket[name]?.isEmpty == false { refused.insert(name) }
        continue
      }
      let isExcluded = tree.excludedSuffix.map { rest.hasSuffix($0) } ?? false
      guard !isExcluded, tree.includedSuffix.map({ rest.hasSuffix($0) }) ?? true else {
        listed[tree.folder + rest] = bucket[name]
        continue
      }
      counts[tree.owner, default: 0] += 1
      let isFolder = rest.hasSuffix("/")
      let relative = isFolder ? String(rest.dropLast()) : rest
      let path = tree.folder + relative
      let above = Self.folders(above: path)
      if Self.folders(above: rest).contains(where: { mine.contains($0) }) {
        refused.insert(name)
        listed[path] = bucket[name]
      } else if isFolder {
        if bucket[name]?.isEmpty == true { folders.insert(path) } else { refused.insert(name) }
      } else if items.contains(path) {
        continue
      } else if above.contains(where: { items.contains($0) }) || items.contains(where: { $0.hasPrefix(path + "/") }) {
        refused.insert(name)
        listed[path] = bucket[name]
      } else {
        mine.insert(relative)
        files[path] = Want(
          bytes: bucket[name], isObtainable: true, policy: tree.policy, mode: tree.mode, owner: tree.owner)
      }
    }
  }

  /// `a`, `a/b` for `a/b/c`.
  static func folders(above path: String) -> [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: "/") }
  }
}
