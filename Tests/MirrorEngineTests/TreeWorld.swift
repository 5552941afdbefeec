// A bucket on a real server, a folder, and runs over both: what the tests of trees are made of.

import Credentials
import CurlTransport
import Glibc
import MirrorPlan
import StorageEmulator
import TestSupport
import TransferModel

@testable import MirrorEngine

/// One bucket `b` and one root; each run is a run of its own, as cron starts them.
struct TreeWorld {
  let emulator: StorageEmulator
  let root: TemporaryDirectory
  let origin: Origin

  init(_ objects: [String: String] = [:], faults: String = "") throws {
    emulator = try StorageEmulator(EmulatorConfiguration(faults: faults))
    root = try TemporaryDirectory(on: .memory)
    origin = Origin(scheme: .http, host: "127.0.0.1", port: emulator.port)
    emulator.objects.makeBucket("b")
    for (name, text) in objects { put(name, text) }
  }

  func put(_ name: String, _ text: String) { emulator.objects.put("b", name, text: text) }
  func remove(_ name: String) { emulator.objects.remove("b", name) }

  /// `count` objects `m/000`, `m/001` … with their own names as content.
  static func numbered(_ count: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("m/" + padded($0), padded($0)) })
  }

  static func padded(_ number: Int) -> String { String(String(1_000 + number).dropFirst()) }

  // MARK: Manifests

  func tree(
    _ prefix: String? = "m/", to destination: String? = "m", prune: PruneSettings = PruneSettings(enabled: true),
    exclude: [String] = [], _ settings: TransferSettings = TransferSettings()
  ) throws -> Tree {
    Tree(
      prefix: StorageAddress(bucket: "b", object: prefix.map { ObjectName($0) }),
      destination: try destination.map { try RelativePath($0) }, exclude: try exclude.map { try Glob($0) },
      prune: prune, settings: settings)
  }

  func item(
    _ name: String, to destination: String, _ settings: TransferSettings = TransferSettings()
  ) throws -> Item {
    Item(
      references: [.storage(StorageAddress(bucket: "b", object: ObjectName(name)))],
      destination: try RelativePath(destination), settings: settings)
  }

  func manifest(_ trees: [Tree], items: [Item] = [], api: StorageSettings.API = .gcs) -> Manifest {
    Manifest(
      root: root.path("out"), storage: StorageSettings(bucket: "b", api: api, emulator: origin), items: ItemList(items),
      trees: trees)
  }

  // MARK: Runs

  /// All that a run left behind in words.
  struct Ran: Sendable {
    var status: ExitStatus
    var outcomes: [EntryOutcome]
    var failures: [TransferFailure]
    var notices: [StateNotice]
    var requests: [LoggedRequest]

    subscript(_ destination: String) -> EntryOutcome? { outcomes.first { $0.destination == destination } }

    func count(_ outcome: Outcome) -> Int { outcomes.count { $0.outcome == outcome } }
    var deleted: [String] { outcomes.filter { $0.outcome == .deleted }.map(\.destination).sorted() }
    /// Requests that brought bytes of objects.
    var media: Int {
      requests.count { $0.target.contains("alt=media") || $0.target.contains("/download/") }
    }
    var lists: Int { requests.count { $0.target.hasSuffix("/o") || $0.target.contains("/o?") } }
  }

  /// - Parameters:
  ///   - later: how far the clock is ahead.
  ///   - fetches: false = as `mirror finalize`.
  ///   - during: called with every batch of outcomes, while the run goes on.
  func apply(
    _ manifest: Manifest, later: Duration = .zero, shard: Shard? = nil, fetches: Bool = true,
    during: @escaping @Sendable ([EntryOutcome]) -> Void = { _ in }
  ) async throws -> Ran {
    // Runs of shards go on side by side.
    if shard == nil { emulator.clearLog() }
    let (outcomes, failures, notices) = (Lock<[EntryOutcome]>([]), Lock<[TransferFailure]>([]), NoticeLog())
    var options = Self.options
    options.shard = shard
    options.fetches = fetches
    options.complain = { failure in failures.withLock { $0.append(failure) } }
    options.notice = { notices.add($0) }
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror-test", loopCount: 1))
    defer { transport.shutdown() }
    let run = MirrorRun(manifest, options: options, environment: Self.environment(transport, later))
    let result = try await run.apply { batch in
      outcomes.withLock { $0 += batch }
      during(batch)
    }
    return Ran(
      status: result.status, outcomes: outcomes.withLock { $0 }, failures: failures.withLock { $0 },
      notices: notices.notices, requests: emulator.log)
  }

  func plan(_ manifest: Manifest, shard: Shard? = nil) async throws -> [PlannedEntry] {
    let rows = Lock<[PlannedEntry]>([])
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror-test", loopCount: 1))
    defer { transport.shutdown() }
    var options = Self.options
    options.shard = shard
    let run = MirrorRun(manifest, options: options, environment: Self.environment(transport, .zero))
    try await run.plan { batch in rows.withLock { $0 += batch.map(\.row) } }
    return rows.withLock { $0 }
  }

  private static var options: RunOptions {
    var options = RunOptions(
      manifestDirectory: "", manifestPath: "test.yaml", manifestDigest: nil, version: "test")
    options.retryBudget = .zero
    return options
  }

  private static func environment(_ transport: CurlTransport, _ later: Duration) -> RunEnvironment {
    RunEnvironment(
      transport: transport, clocks: AheadClocks(by: later), lookUp: { _ in nil },
      secrets: SecretReader(environment: { _ in nil }), host: "test",
      pause: { _ in usleep(1_000) == 0 })
  }

  // MARK: What is there

  /// The files below the root, without mirror's own.
  func files() throws -> [String: String] {
    try root.files(below: "out").reduce(into: [:]) { files, file in
      guard !file.key.hasPrefix("out/.mirror/") else { return }
      files[String(file.key.dropFirst(4))] = String(decoding: file.value, as: UTF8.self)
    }
  }

  /// The pruned files that can be taken back: their paths below the run's folder.
  func trash() throws -> [String] {
    try root.files(below: "out").keys.filter { $0.hasPrefix("out/.mirror/trash/") }
      .map { $0.split(separator: "/").dropFirst(4).joined(separator: "/") }.sorted()
  }

  func state() throws -> StateStore {
    try StateStore(StateLocation(root: root.path("out")), access: .read)
  }
}

/// The real clocks, some time ahead.
private struct AheadClocks: Clocks {
  private let real = SystemClocks()
  private let lead: Duration

  init(by lead: Duration) { self.lead = lead }

  func monotonic() -> MonotonicInstant { real.monotonic() }

  func utc() -> Timestamp {
    let now = real.utc()
    return Timestamp(seconds: now.seconds + lead.components.seconds, nanoseconds: now.nanoseconds)
  }

  func random() -> Double { real.random() }
}
