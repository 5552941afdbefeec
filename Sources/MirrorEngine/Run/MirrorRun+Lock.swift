// A run and its lock file: what binds it at the start, and what is written at the end.

import Glibc
import LocalFiles
import MirrorPlan
package import TransferModel

extension MirrorRun {
  /// What the options bind the run to.
  ///
  /// Throws `safetyStop` where plan or lock are not of this manifest: nothing is begun then.
  func scope() throws(RunRefusal) -> RunScope {
    var scope = RunScope()
    scope.selection = options.selection
    scope.shard = options.shard
    if let plan = options.plan {
      if let refusal = plan.refusal(manifestDigest: options.manifestDigest, root: rootIdentity) {
        throw RunRefusal(status: .safetyStop, failure: refusal)
      }
      scope.gate = PlanGate(plan)
    }
    if let binder = LockBinder(options.lock) {
      if options.selection == nil, let drift = binder.disagreement(with: manifest) {
        throw RunRefusal(status: .safetyStop, failure: drift)
      }
      scope.binder = binder
    }
    if case .update(let lock, let only) = options.lock {
      scope.wanted = LockNotes()
      try refuseUnknown(only ?? [], lock)
    }
    return scope
  }

  /// A destination that nobody knows is a mistake of the command line, not one that may be passed over.
  private func refuseUnknown(_ named: Set<RelativePath>, _ lock: LockFile?) throws(RunRefusal) {
    for destination in named where lock?.place(of: destination) == nil {
      let isKnown =
        manifest.items.contains { $0.destination == destination }
        || manifest.trees.contains { tree in
          tree.destination.map { destination.text.utf8.starts(with: ($0.text + "/").utf8) } ?? true
        }
      guard !isKnown else { continue }
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent,
          "\(TerminalText.escape(destination.text)) is neither in the manifest nor in the lock file",
          hint: Suggestion.hint(for: destination.text, among: manifest.items.map(\.destination.text))))
    }
  }

  /// The root's absolute path by its words alone, so that `out`, `./out/` and its absolute form are one root.
  package var rootIdentity: String {
    var path = rootPath
    if !path.hasPrefix("/"), let directory = getcwd(nil, 0) {
      path = String(cString: directory) + "/" + path
      free(directory)
    }
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
    return "/" + parts.joined(separator: "/")
  }

  /// Writes the lock file anew when the policy says so and everything went well. Returns what became of it.
  func updateLock(
    _ scope: RunScope, _ state: StateStore, _ directories: DirectoryCache?, _ ledger: RunLedger
  ) async -> String? {
    guard let wanted = scope.wanted, let path = options.lockPath else { return nil }
    guard control.stop == nil, await ledger.isClean else {
      return "\(path) was left as it is, because not everything was done"
    }
    do throws(TransferFailure) {
      let draft = try wanted.draft(state, LocalSurvey(directories: directories, state: state))
      return try Self.write(draft, to: path)
    } catch {
      await ledger.add(error, at: path)
      return "\(path) was left as it is"
    }
  }

  /// Puts the lock file in place; one that says the same already is not touched.
  static func write(_ draft: LockDraft, to path: String) throws(TransferFailure) -> String {
    var document: [UInt8] = []
    var draft = draft
    draft.write { document += $0 }
    let entries = "\(TerminalText.grouped(draft.count)) \(draft.count == 1 ? "entry" : "entries")"
    if let old = try? WholeFile.read(path, limit: ByteCount(Int64(document.count))), old == document {
      return "\(path): \(entries), as before"
    }
    let file = try AtomicDocument(path)
    try file.append(document)
    try file.publish()
    return "\(path): \(entries)"
  }
}

// MARK: - mirror lock

extension MirrorRun {
  /// How `mirror lock` ended.
  package struct LockResult: Sendable {
    /// What became of the file, for people; nil = it was left as it is.
    package var note: String?
    /// Why entries could not be locked, with their destinations.
    package var failures: [(place: String, failure: TransferFailure)]
  }

  /// Pins what every entry is now, and writes the lock file. Downloads nothing. A lock file that would not name every
  /// entry is not written.
  package func lock() async throws(RunRefusal) -> LockResult {
    guard let path = options.lockPath else {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(.invalidRequest, .permanent, "a manifest from standard input has no lock file"))
    }
    let (directories, state) = try localSide()
    let survey = LocalSurvey(directories: directories, state: state)
    let taking = LockTaking(survey)
    try await self.survey { [progress] work, _ in
      progress.add(planned: work.count, bytesExpected: 0)
      await taking.take(work)
    }
    if let stop = control.stop { await taking.refuse(stop.failure, at: path) }
    let failures = await taking.failures
    guard failures.isEmpty else { return LockResult(note: nil, failures: failures) }
    let draft = await taking.draft
    let note = try refusing { () throws(TransferFailure) in try Self.write(draft, to: path) }
    return LockResult(note: note, failures: [])
  }
}

/// Collects the entries of a lock file from what was resolved.
private actor LockTaking {
  private(set) var draft = LockDraft()
  private(set) var failures: [(place: String, failure: TransferFailure)] = []
  private let local: LocalSurvey
  private let threads = BlockingThreads(count: 1)

  init(_ local: LocalSurvey) { self.local = local }

  func take(_ work: [PlannedWork]) async {
    for item in work {
      switch item {
      case .entry(let item): await take(item.facts, item.decision)
      case .refused(let row, _), .listingFailed(let row, _):
        if let failure = row.failure { refuse(failure, at: row.destination) }
      case .notTried(let entry, let failure): refuse(failure, at: entry.destination.text)
      case .folder, .vacated: break
      }
    }
  }

  func refuse(_ failure: TransferFailure, at place: String) { failures.append((place, failure)) }

  private func take(_ facts: EntryFacts, _ decision: Decision) async {
    let entry = facts.entry
    let version: ObjectVersion
    switch facts.remote {
    case .present(let now): version = now.completed(by: facts.recorded)
    case .notAsked where decision.failure == nil: version = facts.recorded?.version ?? ObjectVersion()
    case .absent where decision.failure == nil: return
    case .absent, .failed, .notAsked:
      return refuse(decision.failure ?? LockNotes.unproven(entry.destination), at: entry.destination.text)
    }
    var proven = entry.content == .stored ? entry.pins : DigestSet()
    if version.digests.isEmpty, proven.isEmpty, isRight(decision), let recorded = facts.recorded {
      let read = await threads.run { [local] in
        Result { () throws(TransferFailure) in try local.provenDigests(of: entry.destination, recorded) }
      }
      switch read {
      case .success(let digests): proven = digests
      case .failure(let failure): return refuse(failure, at: entry.destination.text)
      }
    }
    let locked = LockEntry(
      entry.destination, source: entry.sourceKey.text, LockEntry.Kind(entry), version: version, proven: proven)
    guard let locked else { return refuse(LockNotes.unproven(entry.destination), at: entry.destination.text) }
    draft.add(locked)
  }

  /// Whether the file that stands there is the object as it is now.
  private func isRight(_ decision: Decision) -> Bool {
    switch decision.action {
    case .skip: decision.reason == .unchanged || decision.reason == .reproven
    case .metadata, .adopt: true
    case .download, .update, .delete, .conflict, .error: false
    }
  }
}
