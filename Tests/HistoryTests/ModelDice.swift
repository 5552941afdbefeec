// What may happen, drawn from a seed: manifests, faults, contents.

import MirrorPlan
import TestSupport
import TransferModel

/// The same throws for the same seed.
struct ModelDice {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

  mutating func bytes() -> [UInt8] {
    switch number(1...20) {
    case 1: []
    // Big enough for its part to be continued.
    case 2: random.bytes((1 << 20) + number(0...1_000_000))
    default: random.bytes(number(1...200))
    }
  }

  // MARK: Names

  /// Objects that get in each other's way: files where others need folders, markers, left-out suffixes.
  static let objects = [
    "t/a", "t/a/b", "t/a/b/c", "t/b", "t/c.bin", "t/d/", "t/d/x", "t/d/y.tmp", "t/e/f/g", "t/", "u/1", "u/2",
    "u/d/1.bin", "u/d/2", "u/d/3.tmp", "i/1", "i/2", "i/3",
  ]

  /// Where the user puts things of his own.
  static let userPaths = [
    "user", "t/user", "t/d/user", "t/d/.mirror-notes", "t/e/f/user", "t/a/user", "u/v/user", "u/user", "x/y/user",
    "a", "b", "d/x", "t/b", "t/d/x", "one",
  ]

  // MARK: Manifests

  mutating func manifest(_ bucket: [String: [UInt8]]) -> ModelManifest {
    var manifest = ModelManifest()
    manifest.api = chance(60) ? .gcs : .firebase
    let places = [("i/1", "one"), ("i/2", "t/b"), ("i/3", "n/deep/3"), ("i/2", "u/v/d/2"), ("t/a", "t/e/f")]
    for (object, destination) in places where chance(35) {
      let pinned: [UInt8]? = chance(25) ? bucket[object] ?? [1] : nil
      manifest.items.append(
        ModelManifest.Item(
          object: object, destination: destination, pinned: pinned, policy: policy(), mode: mode(),
          isWeb: chance(20)))
    }
    switch number(1...10) {
    case 1...6:
      manifest.trees = [tree("t/", "t")]
      if chance(50) { manifest.trees.append(tree("u/", "u/v")) }
    case 7, 8: manifest.trees = [tree("t/", nil)]
    case 9: manifest.trees = [tree("u/", "t")]
    default: break
    }
    return manifest
  }

  private mutating func tree(_ prefix: String, _ destination: String?) -> ModelManifest.Tree {
    var tree = ModelManifest.Tree(prefix: prefix, destination: destination)
    tree.excludedSuffix = chance(25) ? ".tmp" : nil
    tree.includedSuffix = chance(10) ? ".bin" : nil
    tree.prunes = chance(75)
    tree.cap = pick([.percent(100), .percent(100), .percent(50), .count(2), .count(100)])
    tree.keepsTrash = chance(50)
    tree.policy = policy()
    tree.mode = mode()
    return tree
  }

  private mutating func policy() -> TransferSettings.LocalChangePolicy {
    pick([.overwrite, .overwrite, .keep, .fail])
  }

  private mutating func mode() -> UInt16? { chance(25) ? pick([0o600, 0o640, 0o755]) : nil }

  // MARK: Faults

  mutating func faults(_ manifest: ModelManifest) -> [ModelServer.Fault] {
    // Of a plain URL nothing is known: whatever comes whole is what it is.
    let unproven = manifest.items.filter { $0.isWeb && $0.pinned == nil }.map(\.object)
    return (0..<number(1...4)).map { _ in
      let isList = chance(25)
      let kinds: [ModelServer.Fault.Kind] = [
        .status(503), .status(429), .status(500), .status(403), .status(404), .silence(.connectionReset),
        .silence(.connectionRefused), .silence(.emptyReply), .cut(.connectionReset), .cut(.truncated), .short,
        .wrongByte, .login,
      ]
      let (name, kind) = (pick(Self.objects), pick(kinds))
      return ModelServer.Fault(
        place: isList ? .list : .media(name), kind: kind == .login && unproven.contains(name) ? .status(502) : kind,
        passing: chance(30) ? number(1...3) : 0,
        times: chance(40) ? number(1...3) : .max)
    }
  }

  /// Listings that lie.
  mutating func listScript() -> String {
    pick([
      "", "", "", "on list => list empty", "on list => list drop 1", "on list => list empty-page 2",
      "on list => list duplicate", "on list => list repeat-token",
    ])
  }
}
