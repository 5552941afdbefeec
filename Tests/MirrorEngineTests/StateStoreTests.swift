// Rows in, rows out, in order and in batches.

import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("State: rows")
struct StateStoreTests {
  let root: TemporaryDirectory

  init() throws { root = try TemporaryDirectory(on: .memory) }

  // MARK: Round trips

  static let extremes: [(String, @Sendable (inout StateRow) -> Void)] = [
    ("as downloaded", { _ in }),
    ("no tree", { $0.tree = nil }),
    ("an empty tree and source", { ($0.tree, $0.file.source) = ("", "") }),
    ("nothing known of the version", { $0.file.version = ObjectVersion() }),
    ("an empty ETag and encoding", { ($0.file.version.etag, $0.file.version.contentEncoding) = ("", "") }),
    ("a weak ETag", { $0.file.version.etag = "W/\"x\"" }),
    ("an encoding", { $0.file.version.contentEncoding = "gzip" }),
    ("the largest numbers", { $0.setNumbers(.max, inode: .max) }),
    ("the least numbers", { $0.setNumbers(.min, inode: 0) }),
    ("a time before 1970", { $0.file.version.lastModified = Timestamp(seconds: -1, nanoseconds: 999_999_999) }),
    ("no digests at all", { ($0.file.version.digests, $0.file.digests) = (DigestSet(), DigestSet()) }),
    ("local digests and no stored ones", { $0.file.version.digests = DigestSet() }),
    ("stored digests and no local ones", { $0.file.digests = DigestSet() }),
    ("every digest, stored and local unlike", { $0.setDigests(stored: 1, local: 2) }),
    ("every digest, stored and local alike", { $0.setDigests(stored: 3, local: 3) }),
    ("decoded content", { $0.file.content = .decoded }),
    ("a placeholder", { $0.file.isPlaceholder = true }),
    ("a NUL and a line break in the source", { $0.file.source = "a\0b\nc" }),
  ]

  @Test("every column survives closing and opening", arguments: extremes.indices)
  func roundTrip(index: Int) throws {
    var row = try StateRow.sample("dir/file")
    Self.extremes[index].1(&row)
    let store = try StateStore.open(root)
    try store.record(row)
    try store.close()
    #expect(try StateStore.open(root, access: .read).row(for: row.destination) == row, "\(Self.extremes[index].0)")
  }

  @Test("keys are bytes: Unicode twins, line breaks and quotes are names of their own")
  func keysAreBytes() throws {
    let names = ["caf\u{E9}", "cafe\u{301}", "line\nbreak", "it's \"quoted\"", "%00", "a\tb", "\u{1F600}"]
    let store = try StateStore.open(root)
    for (index, name) in names.enumerated() { try store.record(.sample(name, generation: Int64(index))) }
    try store.flush()
    for (index, name) in names.enumerated() {
      let row = try #require(try store.row(for: RelativePath(name)))
      #expect(row.file.version.generation == Int64(index))
      #expect(row.destination.text.utf8.elementsEqual(name.utf8))
    }
    #expect(try store.rowCount() == Int64(names.count))
  }

  @Test("a row waits for others, but not longer than five seconds while rows come")
  func longestWait() throws {
    let seconds = Lock(0)
    var options = StateStore.Options()
    options.now = { MonotonicInstant(sinceOrigin: .seconds(seconds.withLock { $0 })) }
    let store = try StateStore(StateLocation(root: root.path), access: .write, options: options)
    for (time, name, committed) in [(0, "a", 0), (4, "b", 0), (5, "c", 3), (9, "d", 3), (13, "e", 3), (14, "f", 6)] {
      seconds.withLock { $0 = time }
      try store.record(.sample(name))
      #expect(try store.rowCount() == Int64(committed), "after \(time) s")
    }
  }

  @Test("rows of a stretch are found between many others, whatever their order, and twice when asked twice")
  func lookUpStretch() throws {
    let store = try StateStore.open(root)
    for number in 0..<500 { try store.record(.sample("d/\(1_000 + number)")) }
    try store.flush()
    let known = ["d/1499", "d/1000", "d/1250"]
    for wanted in [known, known + ["d/0", "z", "d/12500", "d/1250"], ["d/1250", "d/1250"], ["nothing"], []] {
      let found = try store.rows(for: wanted.map { try RelativePath($0) })
      #expect(found.map { $0?.destination.text } == wanted.map { known.contains($0) ? $0 : nil }, "\(wanted)")
    }
    let all = try (0..<500).map { try RelativePath("d/\(1_499 - $0)") }
    #expect(try store.rows(for: all).map { $0?.destination } == all)
  }

  @Test("many are looked up at once, in their order, with nil for the unknown")
  func lookUpMany() throws {
    let store = try StateStore.open(root)
    try store.record(.sample("a"))
    try store.flush()
    try store.record(.sample("b"))
    let found = try store.rows(for: [RelativePath("a"), RelativePath("b"), RelativePath("c")])
    #expect(found.map { $0?.destination.text } == ["a", "b", nil])
  }

  // MARK: Order

  @Test("the cursor walks in byte order over many pages", arguments: [0, 1, 511, 512, 513, 1_100])
  func byteOrder(count: Int) throws {
    var generator = SplitMix64(seed: 7)
    var paths: Set<RelativePath> = []
    let letters = ["a", "b", "B", "-", "/x", ".y", "\u{E9}", "e\u{301}", "\u{FFFD}", "\u{10348}"]
    while paths.count < count {
      let text = "f" + (0..<6).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }.joined()
      if let path = try? RelativePath(text) { paths.insert(path) }
    }
    let store = try StateStore.open(root)
    for path in paths { try store.record(.sample(path.text)) }
    try store.flush()
    #expect(try store.allRows().map(\.destination) == paths.sorted())
  }

  @Test(
    "a prefix is a prefix of bytes",
    arguments: [
      ("", ["a", "a/b", "a/c", "a0", "b", "\u{7F}", "\u{E9}"]), ("a", ["a", "a/b", "a/c", "a0"]),
      ("a/", ["a/b", "a/c"]),
      ("a/b", ["a/b"]), ("\u{7F}", ["\u{7F}"]), ("\u{E9}", ["\u{E9}"]), ("z", []),
    ])
  func prefixes(prefix: String, expected: [String]) throws {
    let store = try StateStore.open(root)
    for path in ["b", "a/c", "a", "\u{7F}", "a0", "\u{E9}", "a/b"] { try store.record(.sample(path)) }
    try store.flush()
    #expect(try store.allRows(withPrefix: prefix).map(\.destination.text) == expected)
  }

  // MARK: Forgetting and replacing

  @Test("the last word on a destination counts, committed or not")
  func lastWordCounts() throws {
    let store = try StateStore.open(root)
    let path = try RelativePath("a")
    try store.record(.sample("a", generation: 1))
    try store.record(.sample("a", generation: 2))
    #expect(try store.row(for: path)?.file.version.generation == 2)
    try store.flush()
    try store.forget(path)
    #expect(try store.row(for: path) == nil)
    #expect(try store.rowCount() == 1)
    try store.flush()
    #expect(try store.rowCount() == 0)
    try store.forget(path)
    try store.record(.sample("a", generation: 3))
    try store.flush()
    #expect(try store.row(for: path)?.file.version.generation == 3)
  }
}

extension StateRow {
  fileprivate mutating func setNumbers(_ number: Int64, inode: UInt64) {
    let time = Timestamp(seconds: number, nanoseconds: 999_999_999)
    file.version.generation = number
    file.version.size = number
    file.version.lastModified = time
    file.stamp = LocalStamp(size: number, modified: number, inode: inode)
    file.proven = time
  }

  fileprivate mutating func setDigests(stored: UInt8, local: UInt8) {
    for algorithm in DigestAlgorithm.allCases {
      file.version.digests[algorithm] = .filled(algorithm, with: stored)
      file.digests[algorithm] = .filled(algorithm, with: local)
    }
  }
}
