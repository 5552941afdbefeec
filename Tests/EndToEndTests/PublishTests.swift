// `publish: atomic`: what readers of the root see while runs work, fail and are killed.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct PublishTests {
  private static let count = 300

  /// The objects of one version: an index, and the files that it names with their contents.
  private static func objects(_ version: Int) -> [String: Data] {
    var objects: [String: Data] = [:]
    for index in 0..<count { objects["site/f/\(index)"] = Data("version \(version) of \(index)".utf8) }
    objects["site/index.json"] = Data("\(version)".utf8)
    return objects
  }

  private static func place(_ port: UInt16, settings: String = "publish: atomic") throws -> Workplace {
    try Workplace(
      port, settings: settings, "trees: [{ref: \"gs://b/site/\", to: ., prune: {enabled: true, max: 100%}}]")
  }

  private func server() throws -> StorageEmulator { try StorageEmulator.serving(Self.objects(1)) }

  /// The generation that readers see.
  private func shown(_ place: Workplace) throws -> String {
    guard case .link(let target) = try place.folder.entry("out").kind else { return "no link" }
    return target
  }

  private func generations(_ place: Workplace) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path(".out.mirror")).sorted()
  }

  // MARK: Readers

  @Test
  func `mirror apply, publish: atomic: P64 a reader never sees a mix while 300 files are replaced again and again`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port, settings: "publish: {mode: atomic, keep: 3}")
    #expect(try await place.apply().status == 0)
    let reader = SiteReader(place.folder.path("out"), count: Self.count)
    reader.start()
    for version in 2...6 {
      for (name, bytes) in Self.objects(version) { server.put(name, bytes) }
      let run = try await place.apply()
      #expect(run.status == 0, "\(run.said)")
      #expect(run.report.totals.updated == Self.count + 1)
      #expect(place.text("index.json") == "\(version)")
      try await eventually("version \(version) is read") { reader.seen.contains("\(version)") }
    }
    reader.stop()
    #expect(reader.mixes == [])
    #expect(reader.seen == Set((1...6).map { "\($0)" }))
    #expect(try shown(place) == ".out.mirror/0006")
    #expect(try generations(place) == [".mirror", "0003", "0004", "0005", "0006"])
  }

  @Test
  func `mirror apply, killed while it publishes: P64 the old tree or the new one is there, and the next run goes on`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    let reader = SiteReader(place.folder.path("out"), count: Self.count)
    reader.start()
    var random = SplitMix64(seed: 64)
    var killed = 0
    for version in 2...13 {
      for (name, bytes) in Self.objects(version) { server.put(name, bytes) }
      server.clearLog()
      let child = try place.start("apply", "-q", "mirror.yaml")
      try await eventually("something is asked for") { !server.log.isEmpty }
      _ = child.wait(for: .milliseconds(Int64(random.next() % 250)))
      child.send(signal: SIGKILL)
      if child.wait(for: .seconds(30)) == .signalled(SIGKILL) { killed += 1 }
      let index = try #require(place.text("index.json"))
      for file in 0..<Self.count { #expect(place.text("f/\(file)") == "version \(index) of \(file)") }
    }
    #expect(killed > 0)
    let last = try await place.apply()
    #expect(last.status == 0, "\(last.said)")
    #expect(place.text("index.json") == "13")
    reader.stop()
    #expect(reader.mixes == [])
    #expect(try generations(place).filter { $0.hasPrefix("0") }.count == 2)
    #expect(try generations(place).allSatisfy { $0 == ".mirror" || $0.hasPrefix("0") })
  }

  // MARK: One generation from another

  @Test func `a file that stays is one more name of the same file, and a run without a change builds nothing`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    let again = try await place.apply()
    #expect(again.status == 0)
    #expect(try shown(place) == ".out.mirror/0001")
    let kept = try place.folder.entry(".out.mirror/0001/f/7").inode
    server.put("site/f/8", Data("changed".utf8))
    server.clearLog()
    let run = try await place.apply()
    #expect(run.status == 0)
    #expect(run.report.totals.downloaded + run.report.totals.updated == 1)
    #expect(try shown(place) == ".out.mirror/0002")
    #expect(try place.folder.entry(".out.mirror/0002/f/7").inode == kept)
    #expect(place.text("f/8") == "changed")
    #expect(try String(decoding: place.folder.read(".out.mirror/0001/f/8"), as: UTF8.self) == "version 1 of 8")
    #expect(run.said.contains("Published as generation 2."))
    let third = try await place.apply()
    #expect(third.report.totals.unchanged == Self.count + 1)
    #expect(try shown(place) == ".out.mirror/0002")
  }

  @Test func `an entry fails: nothing is published, the status says so, and the next run fetches what is left only`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    for (name, bytes) in Self.objects(2) { server.put(name, bytes) }
    try server.play("on media b/site/f/5 request 1 => status 403")
    let run = try await place.apply()
    #expect(run.status == 3)
    #expect(run.said.contains("Not published"))
    #expect(try shown(place) == ".out.mirror/0001")
    #expect(place.text("f/7") == "version 1 of 7")
    let next = try await place.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(next.report.totals.updated == 1)
    #expect(place.text("f/7") == "version 2 of 7")
    #expect(place.text("f/5") == "version 2 of 5")
  }

  @Test func `a budget leaves work: nothing is published until the last run of it`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    for (name, bytes) in Self.objects(2) { server.put(name, bytes) }
    #expect(try await place.apply("--max-transfers", "200").status == 9)
    #expect(place.text("index.json") == "1")
    #expect(place.text("f/7") == "version 1 of 7")
    #expect(try await place.apply("--max-transfers", "200").status == 0)
    #expect(place.text("index.json") == "2")
  }

  @Test func `what left the bucket is not in the new generation, and the brake holds`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try Workplace(
      server.port, settings: "publish: atomic",
      "trees: [{ref: \"gs://b/site/\", to: ., prune: {enabled: true, max: 5}}]")
    #expect(try await place.apply().status == 0)
    for index in 0..<3 { server.objects.remove("b", "site/f/\(index)") }
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.text("f/0") == nil)
    #expect(place.text("f/3") != nil)
    #expect(try place.folder.entry(".out.mirror/0001/f/0").inode > 0)
    #expect(try !place.folder.tree(below: ".out.mirror/0002").contains { $0.path.contains(".mirror/0002/.mirror") })
    for index in 3..<20 { server.objects.remove("b", "site/f/\(index)") }
    let refused = try await place.apply()
    #expect(refused.status == 5)
    #expect(place.text("f/3") != nil)
    #expect(try shown(place) == ".out.mirror/0002")
  }

  @Test func `files of others are carried over, also those that came while a generation was being built`() async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    try place.folder.write("mine", to: "out/notes/mine.txt")
    try place.folder.write("first", to: "out/mine.txt")
    for (name, bytes) in Self.objects(2) { server.put(name, bytes) }
    server.objects.remove("b", "site/f/9")
    try server.play("on media b/site/f/5 request 1 => status 403")
    #expect(try await place.apply().status == 3)
    try place.folder.write("late", to: "out/notes/late.txt")
    unlink(place.path("mine.txt"))
    try place.folder.write("second", to: "out/mine.txt")
    #expect(try await place.apply().status == 0)
    #expect(try shown(place) == ".out.mirror/0002")
    #expect(place.text("notes/mine.txt") == "mine")
    #expect(place.text("notes/late.txt") == "late")
    #expect(place.text("mine.txt") == "second")
    #expect(place.text("f/8") == "version 2 of 8")
    #expect(place.text("f/9") == nil, "what was pruned does not come back")
  }

  @Test func `a mode is set on the new generation's file, not on the one that readers have`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    try place.write(
      server.port, defaults: "mode: \"0600\"", settings: "publish: atomic",
      "trees: [{ref: \"gs://b/site/\", to: .}]")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.bytes == 0)
    #expect(try place.folder.entry(".out.mirror/0001/f/7").mode == 0o644)
    #expect(try place.folder.entry(".out.mirror/0002/f/7").mode == 0o600)
    #expect(try await place.apply().report.totals.unchanged == Self.count + 1)
    #expect(try shown(place) == ".out.mirror/0002")
  }

  // MARK: To and from

  @Test func `a root that was written to in place becomes the first generation, with its state`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port, settings: "")
    #expect(try await place.apply().status == 0)
    try place.folder.write("mine", to: "out/mine.txt")
    try place.write(
      server.port, settings: "publish: atomic",
      "trees: [{ref: \"gs://b/site/\", to: ., prune: {enabled: true, max: 100%}}]")
    let same = try await place.apply()
    #expect(same.status == 0, "\(same.said)")
    #expect(same.report.totals.unchanged == Self.count + 1)
    server.put("site/f/8", Data("changed".utf8))
    server.objects.remove("b", "site/f/9")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.bytes == 7)
    #expect(try shown(place) == ".out.mirror/0001")
    #expect(place.text("f/8") == "changed")
    #expect(place.text("f/9") == nil)
    #expect(place.text("mine.txt") == "mine")
    #expect(try generations(place) == [".mirror", "0000", "0001"])
    for command in ["plan", "status", "verify"] {
      #expect(try await place.mirror(command, "mirror.yaml").status == 0, "\(command)")
    }
  }

  @Test func `a manifest that no longer says atomic is refused, and so is a link that mirror did not make`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let place = try Self.place(server.port)
    #expect(try await place.apply().status == 0)
    try place.write(server.port, "trees: [{ref: \"gs://b/site/\", to: .}]")
    let run = try await place.mirror("apply", "mirror.yaml")
    #expect(run.status == 2)
    #expect(run.errorText.contains("publish: atomic"))
    let other = try Self.place(server.port)
    try other.folder.write("x", to: "elsewhere/x")
    #expect(symlink("elsewhere", other.folder.path("out")) == 0)
    #expect(try await other.mirror("apply", "mirror.yaml").status == 2)
    #expect(try other.folder.entry("out").kind == .link("elsewhere"))
  }
}

/// Reads the site again and again, as a server would that resolves the root's link once for each page.
private final class SiteReader: Sendable {
  private struct State {
    var isStopped = false
    var hasEnded = false
    var seen: Set<String> = []
    var mixes: [String] = []
  }

  private let root: String
  private let count: Int
  private let state = LockedState()

  private final class LockedState: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value = State()
    func with<Value>(_ body: (inout State) -> Value) -> Value {
      lock.lock()
      defer { lock.unlock() }
      return body(&value)
    }
  }

  init(_ root: String, count: Int) {
    self.root = root
    self.count = count
  }

  var seen: Set<String> { state.with { $0.seen } }
  var mixes: [String] { state.with { $0.mixes } }

  func start() {
    Thread.detachNewThread { [self] in
      while !state.with({ $0.isStopped }) { readOnce() }
      state.with { $0.hasEnded = true }
    }
  }

  func stop() {
    state.with { $0.isStopped = true }
    while !state.with({ $0.hasEnded }) { usleep(1_000) }
  }

  private func readOnce() {
    let folder = open(root, O_RDONLY | O_DIRECTORY)
    guard folder >= 0 else { return state.with { $0.mixes.append("no root: \(errno)") } }
    defer { close(folder) }
    guard let version = text("index.json", in: folder) else {
      return state.with { $0.mixes.append("no index") }
    }
    for index in 0..<count {
      let found = text("f/\(index)", in: folder)
      if found != "version \(version) of \(index)" {
        state.with { $0.mixes.append("index \(version), f/\(index): \(found ?? "nothing")") }
        return
      }
    }
    state.with { _ = $0.seen.insert(version) }
  }

  private func text(_ path: String, in folder: Int32) -> String? {
    let file = openat(folder, path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(file, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
