// One run over one manifest: opens what a run needs, in order, and closes it again. What `apply` and `plan` share is
// `RunParts`; the work itself is the resolver's and the executor's.

package import Credentials
import FileTransfer
import LocalFiles
package import MirrorPlan
import StorageCore
package import TransferModel

/// What a run is made of that tests and the command line choose differently.
package struct RunEnvironment: Sendable {
  package var transport: any HTTPTransport
  package var clocks: any Clocks
  /// The value of an environment variable; nil when it is not set.
  package var lookUp: @Sendable (String) -> String?
  package var secrets: SecretReader
  /// This machine's name, and this process's number, for the report and the lock.
  package var host: String
  /// Waits on the calling thread; false = stop waiting.
  package var pause: @Sendable (Duration) -> Bool
  /// The local time in seconds since midnight, for rates by the time of day; UTC unless it is set.
  package var secondOfDay: @Sendable () -> Int

  package init(
    transport: any HTTPTransport, clocks: any Clocks, lookUp: @escaping @Sendable (String) -> String?,
    secrets: SecretReader, host: String, pause: @escaping @Sendable (Duration) -> Bool
  ) {
    self.transport = transport
    self.clocks = clocks
    self.lookUp = lookUp
    self.secrets = secrets
    self.host = host
    self.pause = pause
    secondOfDay = { Int(clocks.utc().seconds % Int64(RateTable.day)) }
  }
}

/// Why a run could not begin; nothing was done.
package struct RunRefusal: Error, Sendable {
  package var status: ExitStatus
  package var failure: TransferFailure

  package init(status: ExitStatus, failure: TransferFailure) {
    self.status = status
    self.failure = failure
  }
}

/// How a run ended.
package struct RunResult: Sendable {
  package var status: ExitStatus
  /// For people, several lines.
  package var summary: String
  package var totals: ReportTotals
  package var reportPath: String?
  /// What became of the lock file, for people; nil = nothing was to become of it.
  package var lockNote: String?
  /// What became of a new generation, for people; nil = there was none to publish.
  package var publishNote: String?
  /// Whom `on_change` has told of what, for people; nil = nobody was to be told of anything.
  package var changeNote: String?
}

/// A run over one manifest.
package struct MirrorRun: Sendable {
  let manifest: Manifest
  let options: RunOptions
  let environment: RunEnvironment
  package let control: RunControl
  package let progress: RunProgress

  package init(_ manifest: Manifest, options: RunOptions, environment: RunEnvironment) {
    self.manifest = manifest
    self.options = options
    self.environment = environment
    control = RunControl()
    progress = RunProgress()
  }

  /// The root's path: the option's word as it is, the manifest's relative to its own folder.
  package var rootPath: String {
    if let root = options.root { return root }
    return Self.path(manifest.root, in: options.manifestDirectory)
  }

  /// Where the JSON report goes, the manifest's place first; a stream is not among them.
  package var reportPaths: [String] {
    [reportPath(manifest.report.json), options.reportPath].compactMap { $0 }
  }

  /// Where all documents of a run go.
  var reportPlaces: ReportPlaces {
    var places = ReportPlaces()
    places.json = reportPaths
    places.stream = options.reportStream
    places.junit = reportPath(manifest.report.junit)
    places.prometheus = reportPath(manifest.report.prometheus)
    places.name = options.manifestPath + (options.shard.map { " \($0)" } ?? "")
    return places
  }

  /// A document's place in the manifest; each shard has its own (`report.json`, `report.3-of-8.json`).
  private func reportPath(_ text: String?) -> String? {
    guard let text else { return nil }
    let path = Self.path(text, in: options.manifestDirectory)
    return options.shard.map { $0.ownPath(path) } ?? path
  }

  private static func path(_ text: String, in directory: String) -> String {
    text.hasPrefix("/") || directory.isEmpty ? text : directory + "/" + text
  }

  /// Makes the local tree equal to what the manifest wants. `observe` is told of outcomes in batches, on any thread.
  package func apply(
    detailed: Bool = false, observe: @escaping @Sendable ([EntryOutcome]) -> Void = { _ in }
  ) async throws(RunRefusal) -> RunResult {
    let start = environment.clocks.utc()
    let began = environment.clocks.monotonic()
    let scope = try scope()
    let parts = try RunParts(self)
    let (ground, lock) = try openGround(started: start, capacity: parts.openFiles.directories)
    let isGathered = options.shard == nil ? try gatherShards() : false
    let state = try openState(ground.home)
    let lastRun = try refusing { () throws(TransferFailure) in try state.runs(limit: 1).first }
    let changes = try openChanges(state, lastRun)
    let begunFiles = try openBegun(state)
    let ledger = try openLedger(ground, lastRun, isGathered: isGathered, observe)
    let id = runID(start)
    let begun = RunRecord(id: id, started: start)
    await note(begun, in: state, ledger)
    let budget = options.fetches ? options.budget : TransferBudget.Limits(transfers: 0)
    let allowance = budget.isNone ? nil : TransferAllowance(budget)
    let executor = try await executor(parts, state, ground, ledger, begun, allowance, changes, begunFiles)
    startBudget()
    let resolver = try resolver(
      parts, directories: ground.reading, home: ground.home, state: state,
      asksFirst: options.plan != nil || !options.fetches, scope: scope)
    await watching(executor.pool) { await executor.run(resolver) }
    await finish(executor, start)
    let (publishNote, isPublished) = await publish(ground, state, ledger)
    let lockNote = await updateLock(scope, state, ground.begun ?? ground.reading, ledger)
    let changeNote = await tell(changes, of: id, isPublished: isPublished, ledger)
    await noteStop(ledger)
    let run = ReportRun(
      id: id, version: options.version, manifestPath: options.manifestPath, manifestDigest: options.manifestDigest,
      shard: options.shard?.description, start: start, end: environment.clocks.utc(), host: environment.host)
    let (status, summary) = await ledger.close(
      run, root: rootIdentity, lastSuccess: await lastSuccess(state, ledger), detailed: detailed,
      elapsed: environment.clocks.monotonic() - began)
    var record = RunRecord(id: id, started: start, ended: run.end, exitStatus: status.rawValue)
    record.counts = await ledger.counts
    await note(record, in: state, ledger)
    try? state.close()
    withExtendedLifetime(lock) {}
    return RunResult(
      status: status, summary: summary, totals: await ledger.totals, reportPath: reportPaths.first,
      lockNote: lockNote, publishNote: publishNote, changeNote: changeNote)
  }

  /// Says what `apply` would do, having asked the sources; writes nothing. `emit` is given rows in batches, in order, each
  /// with the facts that it stands on.
  package func plan(
    _ emit: @escaping @Sendable ([(row: PlannedEntry, facts: PlanFacts?)]) async -> Void
  ) async throws(RunRefusal) {
    try await survey { [progress] work, twins in
      var rows = work.compactMap { item in item.row.map { (row: $0, facts: item.planFacts) } }
      for place in rows.indices {
        guard let failure = rows[place].row.failure else { continue }
        rows[place].row.failure = await twins.explain(failure, of: rows[place].row.source)
      }
      progress.add(planned: rows.count, bytesExpected: 0)
      await emit(rows)
    }
  }

  /// Resolves everything, having asked first, and changes nothing.
  func survey(
    _ emit: @escaping @Sendable ([PlannedWork], NameTwins) async -> Void
  ) async throws(RunRefusal) {
    var scope = try scope()
    scope.isOffline = !options.asksServers
    let parts = try RunParts(self)
    let (directories, state) = try localSide()
    startBudget()
    let resolver = try resolver(
      parts, directories: directories, home: directories?.root, state: state, asksFirst: options.asksServers,
      scope: scope)
    let twins = NameTwins(parts.remote)
    await resolver.run { work in await emit(work, twins) }
  }

  /// What is there already, for reading; both nil when the root does not exist.
  func localSide() throws(RunRefusal) -> (DirectoryCache?, StateStore?) {
    guard let root = try standingRoot() else { return (nil, nil) }
    let location = try readableState()
    let state = try refusing { () throws(TransferFailure) in try StateStore(location, access: .read) }
    return (DirectoryCache(root), state)
  }
}
