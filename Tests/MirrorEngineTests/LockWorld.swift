// A manifest over an emulator with a lock file and a state, for tests of whole runs.

import Credentials
import CurlTransport
import Glibc
import LocalFiles
import MirrorPlan
import StorageEmulator
import TestSupport
import TransferModel

@testable import MirrorEngine

/// Two items and a tree in the bucket `b`: `one`, a plain URL, and `t/…`.
struct LockWorld {
  let emulator: StorageEmulator
  let folder: TemporaryDirectory
  var api = StorageSettings.API.gcs
  var itemNames = ["one", "two"]
  var hasTree = true
  var manifestDigest: Digest?

  init() throws {
    emulator = try StorageEmulator()
    folder = try TemporaryDirectory()
    emulator.objects.makeBucket("b")
    for name in ["one", "two", "t/1", "t/2"] { emulator.objects.put("b", name, text: "text of \(name)") }
    manifestDigest = Digest(.sha256, bytes: Array(repeating: 1, count: 32))
  }

  var lockPath: String { folder.path("m.yaml.lock") }

  func manifest() throws -> Manifest {
    let origin = Origin(scheme: .http, host: "127.0.0.1", port: emulator.port)
    var items = try itemNames.map { name in
      Item(
        references: [.storage(StorageAddress(bucket: "b", object: ObjectName(name)))],
        destination: try RelativePath(name))
    }
    items.append(
      Item(
        references: [.web(try HTTPURL(parsing: "\(emulator.url)/b/two"))], destination: try RelativePath("web")))
    let tree = Tree(
      prefix: StorageAddress(bucket: "b", object: ObjectName("t/")), destination: try RelativePath("tree"),
      prune: PruneSettings(enabled: true, cap: .count(10), trash: nil))
    return Manifest(
      root: folder.path("out"), storage: StorageSettings(bucket: "b", api: api, emulator: origin),
      items: ItemList(items),
      trees: hasTree ? [tree] : [])
  }

  /// Runs `body` with a run over the manifest.
  func with<Value>(
    _ configure: (inout RunOptions) throws -> Void = { _ in }, _ body: (MirrorRun) async throws -> Value
  ) async throws -> Value {
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 1, slotsPerLoop: 4))
    defer { transport.shutdown() }
    var options = RunOptions(
      manifestDirectory: folder.path, manifestPath: "m.yaml", manifestDigest: manifestDigest, version: "test")
    options.jobs = 4
    options.retryBudget = .zero
    options.lockPath = lockPath
    try configure(&options)
    let nothing: @Sendable (String) -> String? = { _ in nil }
    return try await body(
      MirrorRun(
        try manifest(), options: options,
        environment: RunEnvironment(
          transport: transport, clocks: SystemClocks(), lookUp: nothing, secrets: SecretReader(environment: nothing),
          host: "test", pause: { _ in false })))
  }

  /// One apply; the outcomes by destination.
  @discardableResult
  func apply(
    _ configure: (inout RunOptions) throws -> Void = { _ in }
  ) async throws -> (result: RunResult, outcomes: [String: EntryOutcome]) {
    let seen = Lock<[String: EntryOutcome]>([:])
    let result = try await with(configure) { run in
      try await run.apply { outcomes in
        seen.withLock { seen in for outcome in outcomes { seen[outcome.destination] = outcome } }
      }
    }
    return (result, seen.withLock { $0 })
  }

  func lock() async throws -> MirrorRun.LockResult { try await with { try await $0.lock() } }

  var lockText: String { (try? folder.readText("m.yaml.lock")) ?? "" }

  func lockFile() throws -> LockFile {
    let (lock, findings) = LockReader.read(Array(lockText.utf8))
    guard let lock else { throw Broken(findings: findings) }
    return lock
  }

  struct Broken: Error {
    var findings: [Diagnostic]
  }

  /// A plan, written and read back.
  func plan() async throws -> PlanFile {
    let bytes = Lock<[UInt8]>([])
    try await with { run in
      let header = PlanHeader(
        version: "test", manifestPath: "m.yaml", manifestDigest: manifestDigest, root: run.rootIdentity,
        made: Timestamp(seconds: 0))
      let rows = Lock<[(PlannedEntry, PlanFacts?)]>([])
      try await run.plan { batch in rows.withLock { $0 += batch.map { ($0.row, $0.facts) } } }
      var document = PlanDocument(header) { piece in bytes.withLock { $0 += piece } }
      for (row, facts) in rows.withLock({ $0 }) { try document.append(row, facts: facts) }
      try document.finish()
    }
    return try PlanReader.read(bytes.withLock { $0 })
  }

  func verify(
    lock: LockFile? = nil, within age: Duration? = nil, forgetting: Bool = false
  ) async throws -> (result: VerifyResult, findings: [VerifyFinding]) {
    let seen = Lock<[VerifyFinding]>([])
    let result = try await with { run in
      try await run.verify(lock: lock, maximumAge: age, readers: 2, forgetsFaults: forgetting) { findings in
        seen.withLock { $0 += findings }
      }
    }
    return (result, seen.withLock { $0 })
  }

  /// The requests since the last `clearLog`, as method and path.
  var requests: [String] { emulator.log.map { "\($0.method) \($0.target)" } }
}
