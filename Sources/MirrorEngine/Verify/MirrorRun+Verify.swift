// `mirror verify`: the local tree against what is known of it; no network.

import LocalFiles
package import MirrorPlan
package import TransferModel

/// What a verification has come to.
package struct VerifyResult: Sendable {
  package var totals = VerifyTotals()
  package var tally = ExitTally()
  /// What is wrong or missing and has a name that it could be fetched to; nothing beyond `faultLimit`.
  package var faults: [RelativePath] = []
  /// Whether everything was looked at.
  package var isComplete = false

  /// More faults than that are no list of repairs but another tree.
  package static let faultLimit = 1_000_000
}

extension MirrorRun {
  /// Files that one thread reads before it is given the next.
  private static let verifyBatch = 64

  /// Reads the local tree again and holds it against pins, lock file and state, as fast as the disk gives it. What is
  /// proven is recorded as it is proven, so that a later run can pass it by.
  ///
  /// - Parameters:
  ///   - maximumAge: files that were proven within it and have not been touched are not read; nil = all are.
  ///   - readers: how many files are read at the same time.
  ///   - forgetsFaults: what is wrong is forgotten by the state, so that the next run does not trust it.
  ///   - emit: told of findings in batches, in the byte order of the paths.
  package func verify(
    lock: LockFile?, maximumAge: Duration?, readers: Int, forgetsFaults: Bool,
    _ emit: @escaping @Sendable ([VerifyFinding]) async -> Void
  ) async throws(RunRefusal) -> VerifyResult {
    let now = environment.clocks.utc()
    guard let root = try standingRoot() else {
      return try await verify(VerifyParts(root: nil, state: nil, lock: lock, writes: false), now, maximumAge, 1, emit)
    }
    let location = try stateLocation()
    let home = try refusing { () throws(TransferFailure) in try RootDirectory(opening: location.root) }
    let held = try lockForVerifying(home, started: now)
    defer { withExtendedLifetime(held) {} }
    if held == nil { _ = try readableState() } else { _ = try gatherShards() }
    let state = try refusing { () throws(TransferFailure) in
      var storeOptions = StateStore.Options()
      storeOptions.notify = options.notice
      return try StateStore(
        location, access: held == nil ? .read : .write, options: storeOptions)
    }
    let parts = VerifyParts(
      root: root, state: state, lock: lock, writes: held != nil, forgetsFaults: held != nil && forgetsFaults)
    let result = try await verify(parts, now, maximumAge, max(1, readers), emit)
    try refusing { () throws(TransferFailure) in try state.close() }
    return result
  }

  /// nil on a file system that cannot be written: then nothing is recorded, and no run can be at work either.
  private func lockForVerifying(_ root: RootDirectory, started: Timestamp) throws(RunRefusal) -> RootLock? {
    do throws(RunRefusal) {
      return try lockRoot(root, started: started)
    } catch {
      guard error.failure.reason == .readOnly || error.failure.reason == .permissionDenied else { throw error }
      return nil
    }
  }

  private func verify(
    _ parts: VerifyParts, _ now: Timestamp, _ maximumAge: Duration?, _ readers: Int,
    _ emit: @escaping @Sendable ([VerifyFinding]) async -> Void
  ) async throws(RunRefusal) -> VerifyResult {
    let merge = try refusing { () throws(TransferFailure) in
      try VerifyMerge(
        state: parts.state, lock: parts.lock, items: manifest.items,
        walk: try parts.root.map { root throws(TransferFailure) in try DirectoryWalk(root) })
    }
    let verifier = FileVerifier(
      directories: parts.root.map { DirectoryCache($0) }, control: control,
      cutoff: maximumAge.map { now.earlier(by: $0) }, now: now)
    let threads = BlockingThreads(count: readers)
    var books = VerifyBooks(parts)
    var feed = VerifyFeed(merge, batchSize: Self.verifyBatch)
    await withTaskGroup(of: (Int, [FileVerifier.Result]).self) { group in
      while true {
        while feed.given - books.taken < readers * 2, control.stop == nil, let (number, batch) = feed.next() {
          progress.add(planned: batch.count, bytesExpected: 0)
          group.addTask { (number, await threads.run { verifier.verify(batch) }) }
        }
        guard let (number, results) = await group.next() else { break }
        progress.add(done: results.count, failed: results.count { $0.finding.verdict.isFault })
        books.wait(for: number, results)
        while let ready = books.next() {
          if let failure = books.take(ready) { control.stop(.local(failure)) }
          await emit(ready.map(\.finding))
        }
      }
    }
    books.result.isComplete = feed.isAtEnd && control.stop == nil
    if let failure = feed.failure ?? books.failure {
      throw RunRefusal(status: ExitStatus.contribution(of: failure) ?? .localResource, failure: failure)
    }
    return books.result
  }
}

/// The places in batches, numbered from 0.
private struct VerifyFeed {
  private(set) var given = 0
  /// Every place was given.
  private(set) var isAtEnd = false
  /// Why there are no more.
  private(set) var failure: TransferFailure?
  private var merge: VerifyMerge
  private let batchSize: Int

  init(_ merge: VerifyMerge, batchSize: Int) {
    self.merge = merge
    self.batchSize = batchSize
  }

  mutating func next() -> (number: Int, batch: [VerifyCandidate])? {
    guard !isAtEnd, failure == nil else { return nil }
    var batch: [VerifyCandidate] = []
    do throws(TransferFailure) {
      while batch.count < batchSize, let candidate = try merge.next() { batch.append(candidate) }
    } catch {
      failure = error
    }
    guard !batch.isEmpty else {
      isAtEnd = failure == nil
      return nil
    }
    given += 1
    return (given - 1, batch)
  }
}

/// What a verification stands on.
private struct VerifyParts {
  /// nil when there is no root: everything is missing then.
  var root: RootDirectory?
  var state: StateStore?
  var lock: LockFile?
  var writes: Bool
  var forgetsFaults = false
}

/// Puts results back into their order, counts them, and tells the state.
private struct VerifyBooks {
  var result = VerifyResult()
  /// How many batches were taken.
  private(set) var taken = 0
  /// Why the state could not be told; nil = it was.
  private(set) var failure: TransferFailure?
  private var waiting: [Int: [FileVerifier.Result]] = [:]
  private let parts: VerifyParts

  init(_ parts: VerifyParts) { self.parts = parts }

  mutating func wait(for number: Int, _ results: [FileVerifier.Result]) { waiting[number] = results }

  /// The next batch in order; nil when it has not come yet.
  mutating func next() -> [FileVerifier.Result]? {
    guard let ready = waiting.removeValue(forKey: taken) else { return nil }
    taken += 1
    return ready
  }

  /// Counts the results and tells the state; returns why the state could not be told.
  mutating func take(_ results: [FileVerifier.Result]) -> TransferFailure? {
    for item in results {
      result.totals.add(item.finding)
      if let failure = item.failure {
        result.tally.add(failure)
      } else if item.finding.verdict.isFault {
        result.tally.add(.failedForGood, item.finding.verdict.rawValue)
      }
      if let fault = item.fault, result.faults.count < VerifyResult.faultLimit { result.faults.append(fault) }
      do throws(TransferFailure) { try record(item) } catch { failure = failure ?? error }
    }
    return failure
  }

  private func record(_ item: FileVerifier.Result) throws(TransferFailure) {
    guard parts.writes, let state = parts.state else { return }
    if let row = item.row { try state.record(row) }
    if parts.forgetsFaults, item.finding.verdict == .wrong, let fault = item.fault { try state.forget(fault) }
  }
}

extension Timestamp {
  /// The time that lies so far back.
  func earlier(by age: Duration) -> Timestamp {
    Timestamp(
      seconds: seconds.subtractingReportingOverflow(age.components.seconds).partialValue, nanoseconds: nanoseconds)
  }
}
