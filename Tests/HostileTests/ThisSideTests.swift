// Faults of this machine: a clock that jumps, a disk that does not keep what it was given, two disks of which one is full,
// memory that runs out, kills at any byte.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@Suite(
  .serialized, .enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.howToGet)),
  .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct ClockTests {
  @Test("mirror apply: a wall clock that jumps moves no time-out", arguments: [1, 3_600, 400 * 86_400])
  func jumps(_ seconds: Int) async throws {
    let site = try Site(40, of: 200_000)
    let proxy = try CuttingProxy(to: site.server.port) { number in
      number < 2 ? .stall(after: 100_000) : number < 4 ? .reset(after: 300_000) : .whole
    }
    defer { proxy.stop() }
    let library = try FaultLibrary()
    let bench = try Bench(site.items(by: proxy.port), defaults: "timeout: {idle: 1s}")
    let run = try await bench.apply(environment: library.environment(clockJumps: .seconds(seconds)))
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    #expect(run.elapsed < .seconds(20), "\(run.elapsed)")
    let again = try await bench.apply(environment: library.environment(clockJumps: .seconds(seconds)))
    #expect(again.status == 0, "\(again.said)")
    #expect(again.report?.totals.downloaded == 0)
  }

  @Test func `mirror apply: P24 a wait that the server asks for is as long as it says, whatever the wall clock does`()
    async throws
  {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 1))
    defer { server.stop() }
    server.objects.makeBucket("b")
    server.objects.put("b", "f", Array("f".utf8))
    try server.play("on b/f request 1 => status 503 retry-after-date +2s\non b/f request 2 => status 429 retry-after 1")
    let bench = try Bench([Bench.Item(url: "http://127.0.0.1:\(server.port)/b/f", to: "f")])
    let library = try FaultLibrary()
    let run = try await bench.apply(environment: library.environment(clockJumps: .seconds(86_400)))
    #expect(run.status == 0, "\(run.said)")
    let times = server.log.map(\.time)
    try #require(times.count == 3)
    // A date has whole seconds.
    #expect(times[1] - times[0] > .milliseconds(990) && times[1] - times[0] < .seconds(6), "\(times[1] - times[0])")
    #expect(times[2] - times[1] > .milliseconds(990) && times[2] - times[1] < .seconds(6))
  }

  @Test func `mirror apply --max-duration: the run's time is up in time, whatever the wall clock does`() async throws {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 1))
    defer { server.stop() }
    server.objects.makeBucket("b")
    server.objects.put("b", "f", Array("f".utf8))
    try server.play("on b/f => status 503")
    let bench = try Bench([Bench.Item(url: "http://127.0.0.1:\(server.port)/b/f", to: "f")], retryFor: "10m")
    let library = try FaultLibrary()
    let run = try await bench.apply(
      "--max-duration", "1s", environment: library.environment(clockJumps: .seconds(86_400)))
    #expect(run.status == 9, "\(run.said)")
    #expect(run.elapsed < .seconds(15))
  }
}

@Suite(
  .serialized, .enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.howToGet)),
  .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct SyncTests {
  /// The destinations that the state says are proven.
  private func claimed(_ bench: Bench) throws -> [String] {
    let program =
      "import sqlite3, sys; [print(row[0]) for row in sqlite3.connect(sys.argv[1]).execute('select * from files')]"
    let result = try ChildProcess.run("python3", ["-c", program, bench.root + "/.mirror/state.db"])
    return result.outputText.split(separator: "\n").map(String.init)
  }

  /// Rows are committed a thousand at a time, each batch after a sync of the tree.
  @Test("mirror apply: P08 a sync that fails in mid-run leaves no claim for what it was for", arguments: [0, 1, 2])
  func midRun(_ passing: Int) async throws {
    let count = 3_300
    let site = try Site(count, of: 64)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    let root = try #require(Bench.realPath(bench.folder.path)) + "/out"
    // Only the tree's own: SQLite syncs its files by itself.
    let run = try await bench.apply(environment: library.environment(.sync, EIO, path: root, after: passing))
    #expect(run.status == 6, "\(run.said)")
    #expect(site.holdsOnlyWholeFiles(bench))
    let rows = try claimed(bench)
    #expect(rows.count <= passing * 1_000, "\(rows.count) rows after \(passing) syncs")
    let next = try await bench.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(site.isMirrored(in: bench))
    #expect(try claimed(bench).count == count)
  }
}

@Suite(
  .serialized, .enabled(if: SmallFileSystem.isAvailable, Comment(rawValue: SmallFileSystem.howToGet)),
  .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct TwoDisksTests {
  @Test(
    "mirror apply: P26 a full disk below the root is the reason, and the other keeps whole files",
    arguments: [true, false])
  func oneFull(_ sized: Bool) async throws {
    let site = try Site(40, of: 1 << 20)
    let disk = try SmallFileSystem(size: 6 << 20)
    let bench = try Bench(
      site.items(sized: sized).enumerated().map { number, item in
        var item = item
        if number % 2 == 1 { item.to = "small/\(item.to)" }
        return item
      })
    try bench.folder.makeFolder("out/small")
    let mounted = try await ChildProcess.run("mount", ["--bind", disk.folder.path, bench.root + "/small"])
    try #require(mounted.status == 0, "\(mounted.errorText)")
    defer { umount2(bench.root + "/small", 2) }
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.report?.reasons.contains("disk_full") == true, "\(run.said)")
    #expect(bench.parts() == [])
    for name in bench.names() {
      let number = try #require(Int(name.split(separator: "f").last ?? ""))
      #expect(bench.content(name) == site.content(number), "\(name)")
    }
  }
}

@Suite(.serialized) struct KillAtBytesTests {
  @Test func `mirror apply, killed at any byte count: P22 no final name is broken, and bytes are continued`()
    async throws
  {
    var random = SplitMix64(seed: 8)
    let content = random.bytes(24 << 20)
    let server = try StorageEmulator(EmulatorConfiguration(threads: 2))
    defer { server.stop() }
    server.objects.makeBucket("b")
    server.objects.put("b", "f", content)
    try server.play("on b/f => throttle 24MiB/s")
    let bench = try Bench([Bench.Item(url: "http://127.0.0.1:\(server.port)/b/f", to: "f")])
    for round in 1...8 {
      let goal = round * (24 << 20) / 9 + Int(random.next() % 1_000_000)
      let child = try bench.start("-q")
      try await waitUntil("\(goal) bytes are there", timeout: .seconds(30), every: .milliseconds(1)) {
        () async throws -> Bool in bench.largestPart() >= goal || child.end != nil
      }
      child.send(signal: SIGKILL)
      _ = child.wait(for: .seconds(10))
      #expect(bench.content("f").map { $0 == content } ?? true, "round \(round)")
    }
    let last = try await bench.apply()
    #expect(last.status == 0, "\(last.said)")
    #expect(bench.content("f") == content)
    #expect(bench.names() == ["f"])
    #expect((last.item("f")?.bytesResumed ?? 0) > 12 << 20 || last.item("f")?.attempts.isEmpty == true)
  }
}

/// A group of processes that may not use more memory than it is given: the kernel's killer, as a container meets it.
@Suite(
  .serialized, .enabled(if: MemoryGroup.isAvailable, "needs the right to make a memory cgroup (version 1)"),
  .disabled(if: SanitizerOptions.name != nil, "a sanitizer has memory of its own"))
struct OutOfMemoryTests {
  @Test(
    "mirror apply: whatever memory there is, no file is broken and the next run is whole",
    arguments: [4, 8, 12, 16, 24, 48])
  func limited(_ mebibytes: Int) async throws {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 2))
    defer { server.stop() }
    server.objects.makeBucket("b")
    var random = SplitMix64(seed: 5)
    let content = random.bytes(3 << 20)
    for number in 0..<30 { server.objects.put("b", "f\(number)", content) }
    let bench = try Bench(
      (0..<30).map { Bench.Item(url: "http://127.0.0.1:\(server.port)/b/f\($0)", to: "f\($0)") },
      root: try TemporaryDirectory(on: .disk).path("out"))
    let group = try MemoryGroup(limit: mebibytes << 20)
    let run = try await bench.apply(after: "echo $$ > \(group.path)/cgroup.procs")
    #expect(run.result.end == .signalled(SIGKILL) || run.endedInOrder, "\(run.result.end) \(run.said)")
    for number in 0..<30 {
      #expect(bench.content("f\(number)").map { Data($0) == Data(content) } ?? true, "f\(number)")
    }
    let next = try await bench.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(bench.names().count == 30)
  }
}
