// The stages of a run: lock, state, executor, the end.

import FileTransfer
import LocalFiles
import MirrorPlan
import TransferModel

extension MirrorRun {
  /// Turns a local failure before the first action into a refusal.
  func refusing<Value>(_ body: () throws(TransferFailure) -> Value) throws(RunRefusal) -> Value {
    do {
      return try body()
    } catch {
      throw RunRefusal(status: ExitStatus.contribution(of: error) ?? .localResource, failure: error)
    }
  }

  func lockRoot(_ root: RootDirectory, started: Timestamp) throws(RunRefusal) -> RootLock {
    do throws(RootLock.Failure) {
      let (words, pause) = (started.rfc3339(.seconds), { control.stop == nil && environment.pause($0) })
      guard let shard = options.shard else {
        return try RootLock.acquire(root, started: words, wait: options.lockWait, pause: pause)
      }
      return try RootLock.acquireShare(
        root, name: ShardStates.name(of: shard), started: words, wait: options.lockWait, pause: pause
      ) { isAlone in
        Result { () throws(TransferFailure) in try prepare(for: shard, isAlone: isAlone) }
      }
    } catch {
      switch error {
      case .busy(let holder):
        throw RunRefusal(
          status: .rootIsHeld,
          failure: TransferFailure(
            .conflict, .local, "another run holds \(root.path): \(holder)",
            hint: "Wait for it with `--wait 10m`, or look at that process."))
      case .cancelled:
        throw RunRefusal(
          status: .interrupted,
          failure: TransferFailure(.cancelled, .cancelled, "interrupted while waiting for the lock"))
      case .failed(let failure):
        throw RunRefusal(status: ExitStatus.contribution(of: failure) ?? .localResource, failure: failure)
      }
    }
  }

  func openState(_ root: RootDirectory) throws(RunRefusal) -> StateStore {
    var storeOptions = StateStore.Options()
    storeOptions.beforeCommit = { () throws(TransferFailure) in try root.sync() }
    storeOptions.notify = options.notice
    storeOptions.now = { [clocks = environment.clocks] in clocks.monotonic() }
    var location = try stateLocation()
    if let shard = options.shard {
      storeOptions.seed = StateSeed(whole: location, shard: shard)
      location = ShardStates(beside: location).location(of: shard)
    }
    let (final, place) = (storeOptions, location)
    return try refusing { () throws(TransferFailure) in
      try StateStore(place, access: .write, options: final)
    }
  }

  /// - Parameter isGathered: shards were at work before, which sweep nothing.
  func openLedger(
    _ ground: RunGround, _ lastRun: RunRecord?, isGathered: Bool,
    _ observe: @escaping @Sendable ([EntryOutcome]) -> Void
  ) throws(RunRefusal) -> RunLedger {
    let mayHaveLeftovers = lastRun.map { $0.ended == nil } ?? ground.mayHoldFiles
    return try refusing { () throws(TransferFailure) in
      try RunLedger(
        reports: reportPlaces, sweepsEverything: isGathered || mayHaveLeftovers, progress: progress, observe: observe,
        complain: options.complain)
    }
  }

  func resolver(
    _ parts: RunParts, directories: DirectoryCache?, home: RootDirectory?, state: StateStore?, asksFirst: Bool,
    scope: RunScope
  ) throws(RunRefusal) -> Resolver {
    let foldsCase = home.map { FileSystemFacts($0).foldsCaseOfOwnFolder } ?? false
    return Resolver(
      manifest: manifest, remote: parts.remote, local: LocalSurvey(directories: directories, state: state),
      planner: Planner(checksLocal: options.checksLocal, asksFirst: asksFirst), control: control,
      threads: BlockingThreads(count: 2), width: parts.parallelism.transfers.upperBound, foldsCase: foldsCase,
      retryBudget: options.retryBudget,
      prunes: options.shard == nil && options.selection == nil && !options.lock.isFrozen, scope: scope)
  }

  func executor(
    _ parts: RunParts, _ state: StateStore, _ ground: RunGround, _ ledger: RunLedger, _ run: RunRecord,
    _ allowance: TransferAllowance?, _ changes: ChangeNotes?, _ begun: BegunFiles?
  ) async throws(RunRefusal) -> Executor {
    let kept = try refusing { () throws(TransferFailure) in try state.parts() }
    await ledger.expect(kept.map(\.destination))
    let orders = DownloadOrders(
      remote: parts.remote, ground: ground, state: state, clocks: environment.clocks, progress: progress,
      isDurable: options.durable, parts: Dictionary(kept.map { ($0.destination, $0) }) { _, last in last },
      streams: options.streams, allowance: allowance)
    let pool = TransferPool(
      services: parts.services, slots: parts.parallelism.transfers, perHost: parts.parallelism.perHost.lowerBound,
      allowance: allowance
    ) { [control] in control.stop(.local($0)) }
    return Executor(
      pool: pool,
      orders: orders, ledger: ledger,
      control: control, placeholders: PlaceholderFiles(manifestDirectory: options.manifestDirectory),
      failsFast: options.failFast, trashFolder: Trash.folder(of: run.id),
      books: FailureBooks(state: state, ledger: ledger, start: run.started),
      sweeper: Sweeper(
        state: state, ground: ground, ledger: ledger, start: run.started, isShared: options.shard != nil),
      allowance: allowance, changes: changes, begun: begun)
  }

  /// Stops the run when its time is up; on a transfer thread, so that no thread just waits.
  func startBudget() {
    guard let maximum = options.maximumDuration else { return }
    environment.transport.run(onLoop: 0) { [control] loop in
      loop.schedule(after: maximum) { control.stop(.budget) }
    }
  }

  func note(_ record: RunRecord, in state: StateStore, _ ledger: RunLedger) async {
    do throws(TransferFailure) { try state.record(record) } catch { await ledger.add(error, at: state.location.file) }
  }

  /// Syncs and commits what is left, and sweeps what was left behind.
  func finish(_ executor: Executor, _ start: Timestamp) async {
    let (state, ground, ledger) = (executor.state, executor.ground, executor.ledger)
    do throws(TransferFailure) {
      try state.flush()
      try executor.begun?.settle(LocalSurvey(directories: ground.begun ?? ground.reading, state: state))
      // What the budget left out was not looked at to its end.
      let isWhole = control.stop == nil && options.shard == nil && executor.allowance?.hasRefused != true
      if isWhole { try state.settleFailures(of: start) }
    } catch {
      await ledger.add(error, at: state.location.file)
    }
    await tidy(state, ground, ledger, start)
    await executor.sweeper.run()
    for failure in executor.allowance?.oversized ?? [] { await ledger.remark(failure) }
  }

  /// When the last run before this one ended that ended well; for the metrics, and looked up for them alone.
  func lastSuccess(_ state: StateStore, _ ledger: RunLedger) async -> Timestamp? {
    guard manifest.report.prometheus != nil else { return nil }
    do throws(TransferFailure) {
      return try state.history().lastSuccess?.ended
    } catch {
      await ledger.add(error, at: state.location.file)
      return nil
    }
  }

  /// Says why the run was stopped, if it was.
  func noteStop(_ ledger: RunLedger) async {
    switch control.stop {
    case .signal(let number):
      let words: [Int32: String] = [1: "sighup", 2: "sigint", 15: "sigterm"]
      await ledger.add(number == 2 ? .interrupted : .terminated, words[number] ?? "signal \(number)")
    case .budget: await ledger.add(.budgetUsedUp, "budget_exhausted")
    case .stuck(let failure):
      await ledger.add(failure, at: rootPath)
      await ledger.add(.internalError, "stuck")
    case .local, .failFast, nil: break
    }
  }

  /// Unique enough to tell runs apart, and sorted by time.
  func runID(_ start: Timestamp) -> String {
    let tail = UInt32(environment.clocks.random() * Double(UInt32.max))
    let hex = String(tail, radix: 16)
    return start.rfc3339(.seconds) + "-" + String(repeating: "0", count: 8 - hex.utf8.count) + hex
  }
}
