// Does what was decided: downloads through the pool, small things at once, and every end into the ledger and the state.

import FileTransfer
import LocalFiles
import MirrorPlan
import TransferModel

/// Runs the work of one `Resolver`.
struct Executor: Sendable {
  let pool: TransferPool
  let orders: DownloadOrders
  let ledger: RunLedger
  let state: StateStore
  let ground: RunGround
  let control: RunControl
  let progress: RunProgress
  let clocks: any Clocks
  let placeholders: PlaceholderFiles
  let failsFast: Bool
  /// Where pruned files of this run go.
  let trashFolder: String
  let books: FailureBooks
  let sweeper: Sweeper
  let twins: NameTwins
  /// nil = everything may be transferred.
  let allowance: TransferAllowance?
  /// nil = nobody is told of changes.
  let changes: ChangeNotes?
  /// nil = there are no trees.
  let begun: BegunFiles?

  private let space: SpaceBudget

  /// The number of the last job.
  private let lastTicket = Lock(0)

  init(
    pool: TransferPool, orders: DownloadOrders, ledger: RunLedger, control: RunControl,
    placeholders: PlaceholderFiles, failsFast: Bool, trashFolder: String, books: FailureBooks,
    sweeper: Sweeper, allowance: TransferAllowance? = nil, changes: ChangeNotes? = nil,
    begun: BegunFiles? = nil
  ) {
    self.pool = pool
    self.orders = orders
    self.ledger = ledger
    self.control = control
    self.placeholders = placeholders
    self.failsFast = failsFast
    self.trashFolder = trashFolder
    self.books = books
    self.sweeper = sweeper
    self.allowance = allowance
    self.changes = changes
    self.begun = begun
    twins = NameTwins(orders.remote)
    state = orders.state
    ground = orders.ground
    space = SpaceBudget(FileSystemFacts(orders.ground.home), knownParts: orders.parts)
    progress = orders.progress
    clocks = orders.clocks
  }

  /// Ends when everything that the resolver gave has ended.
  func run(_ resolver: Resolver) async {
    // The pool tells the control of full disks: held by it for longer than this, neither would ever go.
    let listener = control.onStop { reason in pool.cancel(reason.failure) }
    defer { control.forget(listener) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while let batch = await pool.nextBatch() { await settle(batch) }
      }
      await resolver.run { work in await accept(work) }
      pool.close()
      await group.waitForAll()
    }
  }

  // MARK: What needs no transfer

  private func accept(_ work: [PlannedWork]) async {
    var outcomes: [EntryOutcome] = []
    var jobs: [TransferJob] = []
    var expected: Int64 = 0
    outcomes.reserveCapacity(work.count)
    await note(changes?.atOnce(work), in: changes?.list)
    var ticket = lastTicket.withLock { last in
      defer { last += work.count }
      return last
    }
    for item in work {
      switch item {
      case .entry(let entry):
        ticket += 1
        if let job = job(entry, ticket) {
          jobs.append(job)
          expected += PlannedEntry.size(of: entry.facts.entry, entry.facts.remote, entry.facts.recorded)?.bytes ?? 0
        } else {
          outcomes.append(settleAtOnce(entry.facts, entry.decision))
        }
      case .refused(let row, let tree):
        outcomes.append(EntryOutcome(refused: row, tree: tree))
      case .listingFailed(let row, let tree):
        guard let failure = row.failure else { break }
        await ledger.add(failure, at: row.destination)
        await books.note(failure, listing: tree, source: row.source)
      case .notTried(let entry, let failure):
        outcomes.append(EntryOutcome(entry, .failed(failure), outcome: .skipped))
      case .folder(let path, let tree):
        if let failed = makeFolder(path, tree) { outcomes.append(failed) }
      case .vacated(let path):
        // What cannot be removed is in the way of the entry that follows, which says so.
        _ = try? ground.writing().removeEmptyTree(path)
      }
    }
    progress.add(planned: outcomes.count + jobs.count, bytesExpected: expected)
    await conclude(outcomes)
    if !jobs.isEmpty, control.stop == nil, let failure = space.refuse(work) {
      await ledger.add(failure, at: ground.home.path)
      control.stop(.local(failure))
    }
    await note(begun?.begun(jobs), in: begun?.list)
    await pool.submit(jobs)
  }

  /// A folder that an object stands for; nil when it is there now.
  private func makeFolder(_ path: RelativePath, _ tree: String) -> EntryOutcome? {
    do throws(TransferFailure) {
      if ground.isAtomic, try ground.reading?.survey(path)?.kind == .directory { return nil }
      try ground.writing().makeDirectory(path)
      return nil
    } catch {
      var failure = error
      let isConflict = error.reason == .notADirectory || error.reason == .symlinkRefused
      if isConflict { failure.failureClass = .permanent }
      return EntryOutcome(
        refused: PlannedEntry(
          destination: path.text + "/", action: isConflict ? .conflict : .error, reason: .failure(failure.reason),
          source: tree, failure: failure), tree: tree)
    }
  }

  private func job(_ entry: DecidedEntry, _ ticket: Int) -> TransferJob? {
    let action = entry.decision.action
    guard action == .download || action == .update, let spec = orders.spec(entry, ticket) else { return nil }
    return TransferJob(ticket: ticket, spec: spec, entry: entry)
  }

  private func settleAtOnce(_ facts: EntryFacts, _ decision: Decision) -> EntryOutcome {
    let outcome: Outcome
    switch decision.action {
    case .skip: outcome = .unchanged
    case .adopt: outcome = .adopted
    case .metadata: outcome = .metadataSet
    case .delete: return delete(facts, decision)
    case .download, .update, .conflict, .error: return failed(facts, decision)
    }
    do throws(TransferFailure) {
      try setMetadata(facts, decision)
    } catch {
      return EntryOutcome(facts, decision, outcome: .failed).failing(error)
    }
    var result = EntryOutcome(facts, decision, outcome: outcome)
    result.generation = facts.recorded?.version.generation
    result.digests = facts.recorded?.digests ?? facts.localDigests
    return result
  }

  /// Mode, time and row of a file whose bytes stay.
  private func setMetadata(_ facts: EntryFacts, _ decision: Decision) throws(TransferFailure) {
    // A file that was written for another tree of an earlier manifest belongs to this one now.
    let isHandedOver = facts.owner != facts.nextOwner
    guard decision.mode != nil || decision.modified != nil || decision.recordsState || isHandedOver else { return }
    var facts = facts
    claim(&facts)
    let isSeparated = try separate(&facts, for: decision)
    if let mode = decision.mode { try ground.writing().setMode(mode, of: facts.entry.destination) }
    if let modified = decision.modified, case .file(_, let mode) = facts.local {
      facts.local = .file(try ground.writing().setModified(modified, of: facts.entry.destination), mode: mode)
    }
    switch decision.reason {
    case .gone:
      if decision.recordsState { try state.forget(facts.entry.destination) }
    case .localChange, .localDiffers: break
    default:
      if decision.recordsState || isSeparated || isHandedOver { try record(facts) }
    }
  }

  /// What a killed run has put in place is mirror's, though the state knows nothing of it.
  private func claim(_ facts: inout EntryFacts) {
    guard let begun, facts.owner == nil, begun.has(facts.entry.destination) else { return }
    facts.claim()
  }

  /// Readers of the generation before share the file: what is set on it must not be seen by them.
  private func separate(_ facts: inout EntryFacts, for decision: Decision) throws(TransferFailure) -> Bool {
    guard ground.isAtomic, decision.mode != nil || decision.modified != nil, case .file(_, let mode) = facts.local,
      let stamp = try ground.writing().separate(facts.entry.destination)
    else { return false }
    facts.local = .file(stamp, mode: mode)
    return true
  }

  private func delete(_ facts: EntryFacts, _ decision: Decision) -> EntryOutcome {
    let path = facts.entry.destination
    do throws(TransferFailure) {
      let directories = try ground.writing()
      // With generations, the trash only says what was removed on purpose; the file is kept by the generation before.
      let wasThere =
        decision.usesTrash || ground.isAtomic
        ? try directories.moveToTrash(path, folder: trashFolder, expecting: facts.recorded?.stamp)
        : try directories.remove(path, expecting: facts.recorded?.stamp)
      try state.forget(path)
      return EntryOutcome(facts, decision, outcome: wasThere ? .deleted : .unchanged)
    } catch {
      return EntryOutcome(facts, decision, outcome: .failed).failing(error)
    }
  }

  private func failed(_ facts: EntryFacts, _ decision: Decision) -> EntryOutcome {
    let failure =
      decision.failure
      ?? TransferFailure(.internalError, .permanent, "\(facts.entry.destination): nothing could be asked for it")
    let outcome = EntryOutcome(facts, decision, outcome: .failed)
    guard failure.failureClass != .cancelled else { return outcome.failing(failure, as: .skipped) }
    return standIn(for: outcome.failing(failure), facts, failure)
  }

  /// What is known of a file whose bytes stay.
  private func record(_ facts: EntryFacts) throws(TransferFailure) {
    guard case .file(let stamp, _) = facts.local else { return }
    var version = facts.recorded?.version ?? ObjectVersion()
    if case .present(let now) = facts.remote { version = now.completed(by: facts.recorded) }
    let digests = facts.localDigests.completed(by: facts.recorded?.digests ?? DigestSet())
    let reference = Planner.referenceToAsk(facts.entry, recorded: facts.recorded)
    try state.record(
      StateRow(
        destination: facts.entry.destination, tree: facts.nextOwner,
        file: RecordedFile(
          source: facts.entry.sourceKeys[reference].text, version: version, stamp: stamp, digests: digests,
          content: facts.entry.content, proven: clocks.utc())))
  }

  /// Comes before what they are noted for: the first request of a download, the row in the state.
  private func note(_ destinations: [RelativePath]?, in list: DestinationList?) async {
    guard let destinations, let list else { return }
    do throws(TransferFailure) { try list.note(destinations) } catch { await ledger.add(error, at: list.path) }
  }

  // MARK: What was transferred

  private func settle(_ batch: [FinishedTransfer]) async {
    var outcomes: [EntryOutcome] = []
    outcomes.reserveCapacity(batch.count)
    await note(changes?.transferred(batch), in: changes?.list)
    var destinations: [RelativePath] = []
    for finished in batch {
      guard let work = finished.entry else { continue }
      outcomes.append(settle(finished, work))
      destinations.append(work.facts.entry.destination)
    }
    progress.active.end(destinations)
    await conclude(outcomes)
  }

  /// The entry goes by its reference here: a copy of its facts counts a dozen.
  private func settle(_ finished: FinishedTransfer, _ work: DecidedEntry) -> EntryOutcome {
    var outcome = EntryOutcome(work.facts, work.decision, outcome: .failed)
    outcome.add(finished.result)
    do throws(TransferFailure) {
      switch finished.result.ending {
      case .stored(let object):
        outcome.outcome = work.decision.action == .download ? .downloaded : .updated
        outcome.add(object)
        try record(object, object.stamp, work, served: finished.result.mirror, owner: work.facts.tree)
      case .identical(let object):
        outcome.outcome = .unchanged
        outcome.reason = .unchanged
        outcome.add(object)
        try recordIdentical(object, work, served: finished.result.mirror)
      case .unchanged:
        outcome.outcome = .unchanged
        outcome.reason = .unchanged
        outcome.generation = work.facts.recorded?.version.generation
        outcome.digests = work.facts.recorded?.digests ?? DigestSet()
        try setMetadata(work.facts, work.decision)
      case .failed(let failure):
        return settleFailure(failure, outcome, finished, work.facts)
      }
    } catch {
      return outcome.failing(error)
    }
    return outcome
  }

  private func settleFailure(
    _ failure: TransferFailure, _ outcome: EntryOutcome, _ finished: FinishedTransfer, _ facts: EntryFacts
  ) -> EntryOutcome {
    let failure = facts.locked?.failure(failure) ?? failure
    guard failure.failureClass != .cancelled else {
      // A body that the budget turned away at its head was never worked on.
      let isBegun = finished.wasStarted && (failure.reason != .budgetExhausted || control.stop != nil)
      return outcome.failing(failure, as: isBegun ? .interrupted : .skipped)
    }
    if finished.result.parked == nil, orders.parts[facts.entry.destination] != nil {
      try? state.dropPart(for: facts.entry.destination)
    }
    return standIn(for: outcome.failing(failure), facts, failure)
  }

  private func record(
    _ object: StoredObject, _ stamp: LocalStamp?, _ work: DecidedEntry, served: Int, owner: String?
  ) throws(TransferFailure) {
    guard let stamp else { return }
    let entry = work.facts.entry
    let place = orders.place(ofEndpoint: served, of: entry, first: orders.firstReference(work.decision))
    try state.record(
      StateRow(
        destination: entry.destination, tree: owner,
        file: RecordedFile(
          source: entry.sourceKeys[place].text, version: object.version, stamp: stamp,
          digests: object.fileDigests, content: entry.content, proven: clocks.utc())))
    if object.size >= DownloadSpec.resumableBytes { try state.dropPart(for: entry.destination) }
  }

  private func recordIdentical(
    _ object: StoredObject, _ work: DecidedEntry, served: Int
  ) throws(TransferFailure) {
    var facts = work.facts
    claim(&facts)
    _ = try separate(&facts, for: work.decision)
    guard case .file(let stamp, _) = facts.local else { return }
    try record(object, stamp, work, served: served, owner: facts.nextOwner)
    if let mode = work.decision.mode { try ground.writing().setMode(mode, of: facts.entry.destination) }
  }

  // MARK: Ends

  /// The placeholder, where the manifest names one and nothing better stands there.
  private func standIn(for outcome: EntryOutcome, _ facts: EntryFacts, _ failure: TransferFailure) -> EntryOutcome {
    guard let placeholder = facts.entry.placeholder else { return outcome }
    switch facts.local {
    case .absent: break
    case .file where facts.recorded?.isPlaceholder == true: break
    default: return outcome
    }
    do throws(TransferFailure) {
      let file = try placeholders.put(placeholder, at: facts.entry, in: ground.writing(), clocks: clocks)
      try state.record(StateRow(destination: facts.entry.destination, tree: facts.tree, file: file))
      return outcome.failing(failure, as: .placeholder)
    } catch {
      return outcome.failing(error)
    }
  }

  private func conclude(_ outcomes: [EntryOutcome]) async {
    let failed = outcomes.indices.filter { outcomes[$0].hasFailed }
    if failed.isEmpty {
      await ledger.add(outcomes)
    } else {
      await conclude(outcomes, failed: failed)
    }
    await sweeper.runIfDue()
  }

  private func conclude(_ outcomes: [EntryOutcome], failed: [Int]) async {
    var outcomes = outcomes
    for place in failed {
      guard let failure = outcomes[place].failure else { continue }
      outcomes[place].failingSince = books.failingSince(outcomes[place])
      outcomes[place].failure = await twins.explain(failure, of: outcomes[place].reference)
    }
    await ledger.add(outcomes)
    await books.note(failed.map { outcomes[$0] })
    for failure in failed.compactMap({ outcomes[$0].failure }) where failure.failureClass != .cancelled {
      if failure.stopsTheRun { control.stop(.local(failure)) }
      if failsFast { control.stop(.failFast) }
    }
  }
}
