// Disks that are full, out of inodes, or read-only, as the kernel makes them.

import Glibc
import TestSupport
import Testing

@Suite(
  .serialized, .enabled(if: SmallFileSystem.isAvailable, Comment(rawValue: SmallFileSystem.howToGet)),
  .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct DiskFaultTests {
  @Test func `mirror apply: P26 what cannot fit is refused before the first byte`() async throws {
    let site = try Site(40, of: 1 << 20)
    let disk = try SmallFileSystem(size: 20 << 20)
    let run = try await Bench(site.items(sized: true), root: disk.folder.path).apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("40.0 MiB are needed"), "\(run.said)")
    #expect(run.said.contains("are free"))
    #expect(run.report?.errors.map(\.name) == ["disk_full"])
    #expect(run.report?.totals.skipped == 40)
    #expect(try site.server.requests() == [])
  }

  @Test func `mirror apply: P26 without known sizes a full disk ends the run`() async throws {
    let site = try Site(200, of: 1 << 20)
    let disk = try SmallFileSystem(size: 20 << 20)
    let bench = try Bench(site.items(), root: disk.folder.path)
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.report?.reasons.contains("disk_full") == true)
    let report = try #require(run.report)
    #expect(report.totals.items == 200)
    #expect(report.totals.skipped + report.totals.interrupted > 100, "most were not tried: \(report.totals)")
    #expect(run.said.contains("not tried"), "\(run.said)")
    #expect(try site.server.requests().count < 100)
    #expect(bench.parts() == [])
    #expect(site.holdsOnlyWholeFiles(bench))
  }

  @Test func `mirror apply: P08 an update that finds the disk full leaves the old file`() async throws {
    let site = try Site(1, of: 3 << 20)
    let disk = try SmallFileSystem(size: 4 << 20)
    try disk.folder.write([UInt8](repeating: 7, count: 2 << 20), to: "f0")
    let bench = try Bench(site.items(), root: disk.folder.path)
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.item("f0")?.reason == "disk_full")
    #expect(bench.content("f0") == [UInt8](repeating: 7, count: 2 << 20))
    #expect(bench.parts() == [])
  }

  @Test func `mirror apply: P26 more files than inodes are refused before the first byte`() async throws {
    let site = try Site(60, of: 100)
    let disk = try SmallFileSystem(size: 20 << 20, inodes: 40)
    let run = try await Bench(site.items(), root: disk.folder.path).apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("inodes are free"), "\(run.said)")
    #expect(try site.server.requests() == [])
  }

  @Test func `mirror apply: P26 inodes that the folders use up end the run`() async throws {
    let site = try Site(60, of: 100)
    let disk = try SmallFileSystem(size: 20 << 20, inodes: 90)
    let bench = try Bench(site.items(folders: true), root: disk.folder.path)
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.report?.reasons.contains("disk_full") == true)
    #expect(bench.parts() == [])
    #expect(site.holdsOnlyWholeFiles(bench))
  }

  @Test func `mirror apply: a disk that is full before the run is said to be`() async throws {
    let site = try Site(3, of: 1_000)
    let disk = try SmallFileSystem(size: 1 << 16)
    try? disk.folder.write([UInt8](repeating: 1, count: 1 << 16), to: "ballast")
    let run = try await Bench(site.items(), root: disk.folder.path).apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("disk_full") || run.said.contains("No space left"), "\(run.said)")
  }

  @Test func `mirror apply: a report that does not fit its disk fails the run and no file`() async throws {
    let site = try Site(3, of: 1_000)
    let disk = try SmallFileSystem(size: 1 << 12)
    try? disk.folder.write([UInt8](repeating: 1, count: 1 << 12), to: "ballast")
    let bench = try Bench(site.items(), settings: "report: {json: \"\(disk.folder.path("r.json"))\"}")
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("r.json"), "\(run.said)")
    #expect(site.isMirrored(in: bench) || bench.names() == [])
  }

  @Test func `mirror apply: a root that is read-only is said to be`() async throws {
    let site = try Site(3, of: 1_000)
    let disk = try SmallFileSystem(size: 1 << 20)
    try disk.remount(readOnly: true)
    let run = try await Bench(site.items(), root: disk.folder.path).apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("read_only") || run.said.contains("Read-only"), "\(run.said)")
    #expect(try site.server.requests() == [])
  }

  @Test func `mirror apply: a root that was whole and is read-only now keeps its files`() async throws {
    let site = try Site(3, of: 1_000)
    let disk = try SmallFileSystem(size: 1 << 20)
    let bench = try Bench(site.items(), root: disk.folder.path)
    #expect(try await bench.apply().status == 0)
    try disk.remount(readOnly: true)
    let run = try await bench.apply()
    #expect(run.status == 6, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }
}
