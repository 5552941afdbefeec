// The disk cache, its file form, and the two tables in memory.

import Foundation
import TestSupport
import Testing
import TransferModel

@testable import CloudStorage

@Suite("The cache of images")
struct ImageCacheTests {
  private static let day = Duration.seconds(86_400)

  private func cache(
    _ folder: TemporaryDirectory, size: Int64 = 1 << 20, age: Duration = day, _ clocks: ManualClocks = ManualClocks()
  ) -> StorageCache {
    StorageCache(path: folder.path("cache"), limits: StorageCache.Limits(size: size, age: age), clocks: clocks)
  }

  private func files(_ folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("cache")).sorted()
  }

  @Test("what was stored is found, by another one that uses the folder too")
  func storeAndFind() throws {
    let folder = try TemporaryDirectory()
    #expect(cache(folder).object(for: "gs://b/a") == nil && cache(folder).entries().isEmpty)
    let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try cache(folder).store(data, generation: 7, for: "gs://b/a")
    try cache(folder).store(Data(), for: "gs://b/empty")
    #expect(cache(folder).object(for: "gs://b/a") == StorageCache.Hit(data: data, generation: 7))
    #expect(cache(folder).object(for: "gs://b/empty") == StorageCache.Hit(data: Data(), generation: nil))
    #expect(cache(folder).object(for: "gs://b/A") == nil)
    try cache(folder).store(Data([1]), generation: 8, for: "gs://b/a")
    #expect(cache(folder).object(for: "gs://b/a")?.data == Data([1]))
    #expect(try files(folder).count == 2)
    cache(folder).remove("gs://b/a")
    #expect(cache(folder).object(for: "gs://b/a") == nil)
  }

  @Test("the files are their owner's alone, and nothing unfinished lies about")
  func files() throws {
    let folder = try TemporaryDirectory()
    try cache(folder).store(Data(repeating: 1, count: 100_000), for: "k")
    let name = try #require(try files(folder).first)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("cache/\(name)"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try files(folder).count == 1)
  }

  @Test("a damaged file counts as absent and goes", arguments: [0, 9, 20, 39, 41, 60])
  func damaged(at place: Int) throws {
    let folder = try TemporaryDirectory()
    try cache(folder).store(Data(repeating: 9, count: 50), generation: 1, for: "gs://b/a")
    let name = try #require(try files(folder).first)
    var bytes = try folder.read("cache/\(name)")
    bytes[place] ^= 1
    try folder.write(bytes, to: "cache/\(name)")
    #expect(cache(folder).object(for: "gs://b/a") == nil)
    #expect(try files(folder).isEmpty)
  }

  @Test("so does one that was cut, and an empty one", arguments: [0, 8, 39, 45, 95])
  func cut(to length: Int) throws {
    let folder = try TemporaryDirectory()
    try cache(folder).store(Data(repeating: 9, count: 50), for: "gs://b/a")
    let name = try #require(try files(folder).first)
    try folder.write(try folder.read("cache/\(name)").prefix(length), to: "cache/\(name)")
    #expect(cache(folder).object(for: "gs://b/a") == nil)
    #expect(try files(folder).isEmpty)
  }

  @Test("entries tell key, size, generation and time, oldest first; foreign files are passed over")
  func entries() throws {
    let folder = try TemporaryDirectory()
    let clocks = ManualClocks(start: Timestamp(seconds: 1_000))
    let cache = cache(folder, clocks)
    try cache.store(Data(count: 10), generation: 5, for: "gs://b/2")
    clocks.advance(by: .seconds(60))
    try cache.store(Data(count: 20), for: "gs://b/1")
    try folder.write("hello", to: "cache/readme.txt")
    try folder.write("hello", to: "cache/x.object")
    let entries = cache.entries()
    #expect(entries.map(\.key) == ["gs://b/2", "gs://b/1"])
    #expect(entries.map(\.generation) == [5, nil])
    #expect(entries.map(\.stored.timeIntervalSince1970) == [1_000, 1_060])
    #expect(entries.map(\.size) == [58, 68])
    #expect(cache.size == 126)
  }

  @Test("what is too old is not used, and goes when it is pruned")
  func age() throws {
    let folder = try TemporaryDirectory()
    let clocks = ManualClocks(start: Timestamp(seconds: 1_000))
    let cache = cache(folder, age: .seconds(100), clocks)
    try cache.store(Data(count: 10), for: "old")
    try cache.store(Data(count: 10), for: "old too")
    clocks.advance(by: .seconds(60))
    try cache.store(Data(count: 10), for: "young")
    clocks.advance(by: .seconds(41))
    #expect(cache.object(for: "old") == nil && cache.object(for: "young") != nil)
    #expect(cache.prune().count == 1)
    #expect(cache.entries().map(\.key) == ["young"])
    #expect(cache.prune(age: .seconds(10)).count == 1)
  }

  @Test("a file may say that it is of any time at all", arguments: [Int64.min, -1, 0])
  func impossibleTimes(seconds: Int64) throws {
    let folder = try TemporaryDirectory()
    try cache(folder, ManualClocks(start: Timestamp(seconds: seconds))).store(Data(count: 10), for: "k")
    let now = cache(folder, ManualClocks(start: Timestamp(seconds: 1_700_000_000)))
    #expect(now.entries().count == 1)
    #expect(now.object(for: "k") == nil)
    #expect(now.entries().isEmpty)
  }

  @Test("when there is too much, the oldest go, down to three quarters")
  func size() throws {
    let folder = try TemporaryDirectory()
    let clocks = ManualClocks()
    let cache = cache(folder, size: 10_000, clocks)
    for number in 0..<12 {
      try cache.store(Data(count: 1_000 - 40 - 1), for: "\(Character(UnicodeScalar(UInt8(97 + number))))")
      clocks.advance(by: .seconds(1))
    }
    // The eleventh made it 11,000, so that seven were left; the twelfth is the eighth.
    #expect(cache.entries().map(\.key) == ["e", "f", "g", "h", "i", "j", "k", "l"])
    #expect(cache.size == 8_000)
    #expect(cache.prune(size: 2_500) == StorageCache.Removal(count: 6, bytes: 6_000))
    #expect(cache.entries().map(\.key) == ["k", "l"])
    try cache.store(Data(count: 10_001), for: "larger than all")
    #expect(cache.object(for: "larger than all") == nil && cache.entries().count == 2)
  }

  @Test("clearing removes objects and nothing else")
  func clear() throws {
    let folder = try TemporaryDirectory()
    let cache = cache(folder)
    try cache.store(Data(count: 10), for: "a")
    try cache.store(Data(count: 10), for: "b")
    try folder.write("mine", to: "cache/mine.txt")
    #expect(cache.clear().count == 2)
    #expect(try files(folder) == ["mine.txt"])
    #expect(cache.clear() == StorageCache.Removal())
  }

  @Test("a folder that cannot be written is told, and nothing falls over")
  func unwritable() throws {
    let folder = try TemporaryDirectory()
    try folder.write("a file", to: "cache")
    let error = #expect(throws: StorageError.self) { try cache(folder).store(Data(count: 1), for: "a") }
    #expect(error?.code == .unknown)
    #expect(cache(folder).object(for: "a") == nil && cache(folder).entries().isEmpty)
    #expect(cache(folder).prune().count == 0 && cache(folder).clear().count == 0)
  }

  @Test("many threads use one cache at once")
  func threads() async throws {
    let folder = try TemporaryDirectory(on: .memory)
    let cache = cache(folder, size: 200_000)
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let key = "gs://b/\((number + round) % 5)"
            try? cache.store(Data(repeating: UInt8((number + round) % 5), count: 10_000), for: key)
            if let hit = cache.object(for: key) {
              #expect(hit.data == Data(repeating: UInt8((number + round) % 5), count: 10_000))
            }
          }
        }
      }
    }
    #expect(cache.entries().count == 5)
  }

  @Test("V08: the key is the percent-encoded URL")
  func key() throws {
    let storage = Storage(
      app: StorageApp(name: "t", options: StorageOptions(bucket: "bucket")), bucket: "bucket", options: StorageOptions()
    )
    let keys = ["a b/é.png", "", "100%#?", "x/y/z"].map { storage.reference(withPath: $0).cacheKey }
    #expect(
      keys == ["gs://bucket/a%20b/%C3%A9.png", "gs://bucket/", "gs://bucket/100%25%23%3F", "gs://bucket/x/y/z"])
  }

  @Test("memory keeps what was used last, within its bytes and its age")
  func memory() {
    var memory = ImageMemory(limit: 100, age: 50)
    let image = ImageMemory.Image(data: Data(count: 40), generation: 1)
    memory.keep(image, for: "a", now: 0)
    memory.keep(image, for: "b", now: 10)
    let used = memory.image(for: "a", now: 10)
    memory.keep(image, for: "c", now: 20)
    let found = ["a", "b", "c"].map { memory.image(for: $0, now: 20) != nil }
    #expect(used == image && found == [true, false, true])
    #expect(memory.size == 80 && memory.count == 2)
    memory.keep(ImageMemory.Image(data: Data(count: 101), generation: nil), for: "a", now: 20)
    let large = memory.image(for: "a", now: 20)
    let old = memory.image(for: "c", now: 71)
    #expect(large == nil && old == nil && memory.count == 0 && memory.size == 0)
  }

  @Test("only what does not exist is remembered as a failure, for its time")
  func failures() {
    var failures = ImageFailures(age: 10)
    let missing = StorageError.objectNotFound(object: "a", serverError: nil)
    failures.note(missing, for: "a", now: 0)
    failures.note(.unauthorized(bucket: "b", object: "b", serverError: nil), for: "b", now: 0)
    failures.note(.bucketNotFound(bucket: "c", serverError: nil), for: "c", now: 0)
    let known = ["a", "b", "c"].map { failures.error(for: $0, now: 10)?.code }
    #expect(known == [.objectNotFound, nil, .bucketNotFound])
    let later = failures.error(for: "a", now: 11)
    #expect(later == nil)
    for number in 0..<2_000 { failures.note(missing, for: "\(number)", now: Int64(number)) }
    let (first, last) = (failures.error(for: "0", now: 1_999), failures.error(for: "1999", now: 1_999))
    #expect(first == nil && last != nil)
  }
}
