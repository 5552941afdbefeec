// What `mirror cache` prints of a cache, without the command.

import StorageCore
import TestSupport
import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct CacheListingTests {
  private let clocks = ManualClocks(start: Timestamp(seconds: 1_704_164_645))
  private let folder: TemporaryDirectory
  private let entries: [ObjectCache.Entry]
  private static let limits = ObjectCache.Limits(size: 1 << 20, age: .seconds(30 * 86_400))

  /// Two objects: one of three days, whose key could drive a terminal, and one of a minute.
  init() throws {
    folder = try TemporaryDirectory()
    let cache = ObjectCache(path: folder.path, limits: Self.limits, clocks: clocks)
    try cache.store([UInt8](repeating: 0, count: 1_489), generation: 7, for: "gs://b/\u{1B}[2J")
    clocks.advance(by: .seconds(3 * 86_400 + 4 * 3_600))
    try cache.store([UInt8](repeating: 0, count: 50), generation: nil, for: "gs://b/new")
    clocks.advance(by: .seconds(60))
    entries = cache.entries()
  }

  private func listing(after: [ObjectCache.Entry]? = nil) -> CacheListing {
    CacheListing(folder: "/c", now: clocks.utc(), before: entries, after: after)
  }

  @Test func `a list is a line for every object, oldest first, and a total`() {
    #expect(
      listing().text == """
           1.5 KiB     3d 4h  gs://b/\\u{1B}[2J
             100 B        1m  gs://b/new
        2 objects, 1.6 KiB

        """)
  }

  @Test func `an empty cache has a total too`() {
    #expect(CacheListing(folder: "/c", now: clocks.utc(), before: [], after: nil).text == "0 objects, 0 B\n")
  }

  @Test func `a removal says what went and what is left`() {
    #expect(
      listing(after: Array(entries.suffix(1))).text == """
        removed    1.5 KiB     3d 4h  gs://b/\\u{1B}[2J
        1 object removed, 1.5 KiB; 1 object, 100 B left

        """)
    #expect(listing(after: entries).text == "0 objects removed, 0 B; 2 objects, 1.6 KiB left\n")
  }

  @Test func `JSON is one document`() throws {
    #expect(
      try JSONValue(parsing: Array(listing(after: Array(entries.suffix(1))).json.utf8))
        == JSONValue(
          parsing: Array(
            #"""
            {"schema":"mirror.cache/1","folder":"/c","now":"2024-01-05T07:05:05.000Z",
             "removed_count":1,"removed_bytes":1540,
             "removed":[{"key":"gs://b/\u001b[2J","size":1540,"generation":"7","stored":"2024-01-02T03:04:05Z"}],
             "count":1,"bytes":100,"objects":[{"key":"gs://b/new","size":100,"stored":"2024-01-05T07:04:05Z"}]}
            """#.utf8)))
    #expect(!listing().json.contains("removed"))
  }

  @Test(
    "a time that cannot be is shown as an age all the same", arguments: [Int64.min, -1, Int64.max])
  func impossibleTimes(seconds: Int64) throws {
    let folder = try TemporaryDirectory()
    let cache = ObjectCache(
      path: folder.path, limits: Self.limits, clocks: ManualClocks(start: Timestamp(seconds: seconds)))
    try cache.store([UInt8](repeating: 0, count: 1), generation: nil, for: "k")
    let listing = CacheListing(folder: "/c", now: clocks.utc(), before: cache.entries(), after: nil)
    #expect(listing.text.hasSuffix("  k\n1 object, 42 B\n"))
    #expect(listing.json.contains("\"k\""))
  }
}
