// System calls that fail although the disk is fine, by the library of `Tests/FaultLibrary`.

import Glibc
import TestSupport
import Testing

@Suite(
  .serialized, .enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.howToGet)),
  .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct FaultLibraryTests {
  struct Fault: CustomTestStringConvertible {
    var call: FaultLibrary.Call
    var number: Int32
    var path: String
    var after: Int
    var reason: String
    /// Of each of the four files, in bytes. From 1 MiB they have names while they come, below that none ("#inode").
    var size = 3 << 20

    var testDescription: String { "\(call.rawValue) on \(path) after \(after): \(reason)" }
  }

  static let faults = [
    Fault(call: .write, number: EIO, path: "out/.mirror-", after: 0, reason: "io_error"),
    Fault(call: .write, number: EIO, path: "out/.mirror-", after: 7_000_000, reason: "io_error"),
    Fault(call: .write, number: EDQUOT, path: "out/.mirror-", after: 2_000_000, reason: "disk_full"),
    Fault(call: .write, number: ENOSPC, path: "out/.mirror-", after: 1, reason: "disk_full"),
    Fault(call: .write, number: EIO, path: "out/#", after: 0, reason: "io_error", size: 4_000),
    Fault(call: .write, number: EIO, path: "out/#", after: 700_000, reason: "io_error", size: 300_000),
    Fault(call: .write, number: EDQUOT, path: "out/#", after: 200_000, reason: "disk_full", size: 300_000),
    Fault(call: .write, number: ENOSPC, path: "out/#", after: 1, reason: "disk_full", size: 300_000),
    Fault(call: .open, number: EMFILE, path: "out/.mirror-", after: 1, reason: "too_many_open_files"),
    Fault(call: .open, number: ENFILE, path: "out/.mirror-", after: 0, reason: "too_many_open_files"),
    Fault(call: .open, number: EACCES, path: "out/.mirror-", after: 0, reason: "permission_denied"),
    Fault(call: .rename, number: EIO, path: "out/f", after: 0, reason: "io_error"),
    Fault(call: .rename, number: EROFS, path: "out/f1", after: 0, reason: "read_only"),
    Fault(call: .rename, number: EIO, path: "out/f", after: 0, reason: "io_error", size: 4_000),
    Fault(call: .rename, number: ENOSPC, path: "out/f1", after: 0, reason: "disk_full", size: 300_000),
  ]

  @Test(
    "mirror apply: a call that fails is told by its name, leaves no broken file, and is made good by the next run",
    arguments: faults)
  func fatal(_ fault: Fault) async throws {
    let site = try Site(4, of: fault.size)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    let run = try await bench.apply(
      environment: library.environment(fault.call, fault.number, path: fault.path, after: fault.after))
    #expect(run.status == 6, "\(run.said)")
    #expect(run.report?.reasons.contains(fault.reason) == true, "\(run.report?.reasons ?? []) \(run.said)")
    // What has come of the other files, when one of four stops the run, is kept where it is worth it.
    if fault.size < 1 << 20 { #expect(bench.parts() == []) }
    #expect(site.holdsOnlyWholeFiles(bench))
    let next = try await bench.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(bench.parts() == [])
    #expect(site.isMirrored(in: bench))
  }

  @Test(
    "mirror apply: where the kernel names no open file, and where it has none without a name, files come as ever",
    arguments: [(FaultLibrary.Call.link, ENOENT), (.link, EPERM), (.unnamed, EOPNOTSUPP)], [4_000, 300_000])
  func fallback(fault: (call: FaultLibrary.Call, number: Int32), size: Int) async throws {
    let site = try Site(4, of: size)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: library.environment(fault.call, fault.number, path: "out/"))
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.parts() == [])
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: a tree that cannot be synced is no success`() async throws {
    let site = try Site(4, of: 10_000)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: library.environment(.sync, EIO, path: "/out"))
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("I/O error"), "\(run.said)")
    #expect(bench.parts() == [])
    let next = try await bench.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: short writes are continued`() async throws {
    let site = try Site(2, of: 300_000)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    // One byte a call from there on would take its time; the last stretch is enough.
    let run = try await bench.apply(environment: library.environment(.short, path: "out/.mirror-", after: 595_000))
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test("mirror apply: a state that cannot be written costs no file", arguments: [0, 4_096, 20_000])
  func state(after bytes: Int) async throws {
    let site = try Site(4, of: 100_000)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: library.environment(.write, EIO, path: "state.db", after: bytes))
    #expect(run.endedInOrder, "\(run.said)")
    #expect(run.status == 6, "\(run.said)")
    #expect(bench.parts() == [])
    #expect(site.holdsOnlyWholeFiles(bench))
    let next = try await bench.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: a state that cannot be read ends in order`() async throws {
    let site = try Site(4, of: 100_000)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    #expect(try await bench.apply().status == 0)
    let run = try await bench.apply(environment: library.environment(.read, EIO, path: "state.db"))
    #expect(run.status == 0 || run.status == 6, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    #expect(try await bench.apply().status == 0)
  }

  @Test func `mirror apply --check: a file that cannot be read is said to be, and stays`() async throws {
    let site = try Site(2, of: 100_000)
    let library = try FaultLibrary()
    let bench = try Bench(site.items())
    #expect(try await bench.apply().status == 0)
    let run = try await bench.apply("--check", environment: library.environment(.read, EIO, path: "out/f1"))
    #expect(run.status == 6, "\(run.said)")
    #expect(run.item("f1")?.reason == "io_error", "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }
}
