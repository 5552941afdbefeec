// Limits of this process: open files, memory, rights; and a process that slept while its server went away.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct LimitTests {
  @Test(
    "mirror apply: few open files end in success or in a hint, and never in a hang",
    arguments: [12, 16, 24, 32, 48, 64, 128])
  func openFiles(_ limit: Int) async throws {
    let site = try Site(80, of: 20_000)
    let bench = try Bench(site.items(folders: true), settings: "limits: {jobs: 64, per_host: 64}")
    let run = try await bench.apply(after: "ulimit -n \(limit)", timeout: .seconds(30))
    #expect(run.status == 0 || run.status == 6, "\(String(describing: run.result.end)) \(run.said)")
    if run.status == 6 {
      #expect(run.said.contains("ulimit -n"), "\(run.said)")
    } else {
      #expect(site.isMirrored(in: bench), "\(run.said)")
    }
    #expect(bench.parts() == [])
    #expect(site.holdsOnlyWholeFiles(bench))
  }

  @Test func `mirror apply: 64 open files are enough`() async throws {
    let site = try Site(80, of: 20_000)
    let bench = try Bench(site.items(), settings: "limits: {jobs: 64, per_host: 64}")
    let run = try await bench.apply(after: "ulimit -n 64", timeout: .seconds(30))
    #expect(run.said.contains("ulimit -n"), "it says that it goes slower: \(run.said)")
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test(.disabled(if: SanitizerOptions.name != nil, "a sanitizer has memory of its own"))
  func `mirror apply: a body of 256 MiB passes through 160 MiB of memory`() async throws {
    let served = try TemporaryDirectory(on: .memory, named: "mirror-site")
    try served.write([], to: "big")
    #expect(truncate(served.path("big"), 256 << 20) == 0)
    let server = try NginxServer(serving: served.path)
    let bench = try Bench([Bench.Item(url: "\(server.base)/big", to: "big", size: 256 << 20)])
    // Of data: the address space as a whole holds the program's own libraries as well.
    let run = try await bench.apply(after: "ulimit -d 163840")
    #expect(run.status == 0, "\(run.said)")
    #expect(run.item("big")?.bytes == 256 << 20)
  }

  @Test func `mirror apply, stopped while the server goes away: P37 goes on where it was`() async throws {
    let site = try Site(1, of: 3 << 20)
    let proxy = try CuttingProxy(to: site.server.port) { $0 == 0 ? .stall(after: 2 << 20) : .whole }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port))
    let child = try bench.start()
    try await waitUntil("two thirds have come", timeout: .seconds(20)) { () async throws -> Bool in
      bench.partBytes() > 3 << 19
    }
    // Not SIGTSTP: a process whose group has no parent in its session, as in CI, is not stopped by that.
    child.send(signal: SIGSTOP)
    try await waitUntil("it has stopped") { () async throws -> Bool in
      let fields = try String(decoding: TemporaryDirectory.bytes(ofFile: "/proc/\(child.pid)/stat"), as: UTF8.self)
      return fields.split(separator: ")").last?.hasPrefix(" T") == true
    }
    proxy.dropConnections()
    child.send(signal: SIGCONT)
    let end = try await onOwnThread { child.wait(for: .seconds(30)) }
    #expect(end == .exited(0), "\(String(decoding: child.standardError, as: UTF8.self))")
    #expect(site.isMirrored(in: bench))
    #expect(try site.server.requests().last?.contains("bytes=") == true)
  }
}

/// What an unprivileged user may not do; the tests run as root in containers.
@Suite(.serialized, .enabled(if: canStepDown, "needs `setpriv`, root, and a build that others can read"))
struct RightsTests {
  private static let stepDown = "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"

  static let canStepDown: Bool = {
    guard geteuid() == 0, NginxServer.isAvailable else { return false }
    let check = try? ChildProcess.run("/bin/sh", ["-c", "\(stepDown) \(BuiltProducts.mirror) --version"])
    return check?.status == 0
  }()

  private func bench(_ site: Site) throws -> Bench {
    let bench = try Bench(site.items(folders: true))
    chmod(bench.folder.path, 0o777)
    try bench.folder.makeFolder("out")
    chmod(bench.root, 0o777)
    return bench
  }

  private func apply(_ bench: Bench) async throws -> Applied {
    try await bench.apply(
      after: "set -- \(Self.stepDown.dropFirst(8)) \"$0\" \"$@\"; set -- \"$@\"; exec setpriv \"$@\"")
  }

  @Test func `mirror apply: a folder that may not be written fails its item alone`() async throws {
    let site = try Site(3, of: 1_000)
    let bench = try bench(site)
    try bench.folder.makeFolder("out/d1")
    let run = try await apply(bench)
    #expect(run.status == 6, "\(run.said)")
    #expect(run.item("d1/f1")?.reason == "permission_denied", "\(run.said)")
    #expect(run.item("d1/f1")?.error?.hint?.contains("owner and mode") == true)
    #expect(bench.names() == ["d0/f0", "d2/f2"])
  }

  @Test func `mirror apply: a root that may not be written is said to be`() async throws {
    let site = try Site(3, of: 1_000)
    let bench = try bench(site)
    chmod(bench.root, 0o755)
    let run = try await apply(bench)
    #expect(run.status == 6, "\(run.said)")
    #expect(run.said.contains("permission_denied") || run.said.contains("Permission denied"), "\(run.said)")
    #expect(try site.server.requests() == [])
  }
}

private var canStepDown: Bool { RightsTests.canStepDown }
