// `mirror cache`, the built program, over folders that the library's cache made, and over others.

import Foundation
import Glibc
import StorageCore
import TestSupport
import Testing
import TransferModel

@Suite struct CacheCommandTests {
  private let folder: TemporaryDirectory
  private let cache: ObjectCache

  /// `old` of ten days and `new` of this moment, 1,000 bytes each as files, and a file that is none of the cache's.
  init() throws {
    folder = try TemporaryDirectory()
    let path = folder.path("cache")
    let limits = ObjectCache.Limits(size: 1 << 20, age: .seconds(30 * 86_400))
    func cache(at seconds: Int64) -> ObjectCache {
      ObjectCache(path: path, limits: limits, clocks: ManualClocks(start: Timestamp(seconds: seconds)))
    }
    let now = Int64(Date().timeIntervalSince1970)
    self.cache = cache(at: now)
    let object = [UInt8](repeating: 0, count: 1_000 - 40 - 3)
    try cache(at: now - 10 * 86_400).store(object, generation: nil, for: "old")
    try self.cache.store(object, generation: nil, for: "new")
    try folder.write("mine", to: "cache/mine.txt")
  }

  private func run(_ arguments: String...) async throws -> ChildResult {
    try await ChildProcess.run(
      BuiltProducts.mirror, ["cache"] + arguments, environment: ["PATH": "/usr/bin:/bin"], in: folder.path)
  }

  private var keys: [String] { cache.entries().map(\.key) }

  @Test func `listing shows every object and removes none`() async throws {
    let result = try await run("cache")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.outputText.hasPrefix("    1000 B       10d"), "\(result.outputText)")
    #expect(result.outputText.hasSuffix("2 objects, 2.0 KiB\n"), "\(result.outputText)")
    let json = try await run("--json", "cache")
    #expect(try JSONValue(parsing: json.standardOutput)["bytes"] == .number(JSONNumber(2_000)))
    #expect(keys == ["old", "new"])
  }

  @Test(
    "pruning removes what it is told to, and no more",
    arguments: [
      (["--older-than", "9d"], ["new"]), (["--older-than", "11d"], ["old", "new"]), (["--keep", "1000"], ["new"]),
      (["--keep", "2000"], ["old", "new"]), (["--keep", "0"], []), (["--older-than", "9d", "--keep", "999"], []),
      (["--clear"], []),
    ])
  func pruning(options: [String], left: [String]) async throws {
    let result = try await ChildProcess.run(
      BuiltProducts.mirror, ["cache"] + options + ["cache"], environment: ["PATH": "/usr/bin:/bin"], in: folder.path)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(keys == left)
    #expect(result.outputText.split(separator: "\n").count { $0.hasPrefix("removed ") } == 2 - left.count)
    #expect(try folder.readText("cache/mine.txt") == "mine")
  }

  @Test func `an empty folder is an empty cache`() async throws {
    try folder.makeFolder("empty")
    let result = try await run("--clear", "empty")
    #expect(result.status == 0 && result.outputText == "0 objects removed, 0 B; 0 objects, 0 B left\n")
  }

  @Test(
    "what is no cache is refused and left as it is",
    arguments: [("other", "is no cache"), ("missing", "cannot open missing"), ("file", "cannot open file")])
  func refusals(name: String, message: String) async throws {
    let part = "other/.mirror-0123456789abcdef.part"
    try folder.write("half", to: part)
    try folder.write("text", to: "other/notes.object")
    try folder.write("text", to: "file")
    #expect(mkfifo(folder.path("other/pipe.object"), 0o600) == 0)
    // Old enough to be swept where a cache is looked after.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: folder.path(part))
    for options in [[], ["--clear"], ["--older-than", "0s"], ["--keep", "0"]] {
      let result = try await ChildProcess.run(
        BuiltProducts.mirror, ["cache"] + options + [name], environment: ["PATH": "/usr/bin:/bin"], in: folder.path)
      #expect(result.status == 2)
      #expect(result.outputText.isEmpty && result.errorText.contains(message), "\(result.errorText)")
    }
    #expect(try folder.readText(part) == "half" && folder.readText("other/notes.object") == "text")
    #expect(try folder.readText("file") == "text" && !folder.exists("missing"))
  }

  @Test func `clearing and pruning at once are refused`() async throws {
    let result = try await run("--clear", "--keep", "1KiB", "cache")
    #expect(result.status == 2 && result.errorText.contains("--clear removes everything"), "\(result.errorText)")
    #expect(keys == ["old", "new"])
  }
}
