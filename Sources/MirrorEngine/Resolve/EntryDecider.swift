// Answers the planner's questions until every entry of a batch is decided.

import FileTransfer
import MirrorPlan
import TransferModel

/// Gathers facts and asks the planner; what is asked concurrently is bounded.
struct EntryDecider: Sendable {
  let planner: Planner
  let remote: RemoteStore
  let local: LocalSurvey
  let control: RunControl
  let threads: BlockingThreads
  /// Requests and rehashes at the same time.
  let width: Int
  let scope: RunScope

  private enum Question: Sendable {
    case remote(first: Int)
    case digests(DigestAlgorithms)
  }

  private enum Answer: Sendable {
    case remote(RemoteFact)
    case digests(Result<(digests: DigestSet, stamp: LocalStamp)?, TransferFailure>)
  }

  /// Looks at the disk and the state, then decides; the result has the order of the batch.
  ///
  /// - Parameters:
  ///   - entries: taken over, so that what is found out is noted in place.
  ///   - isVacated: nothing stands at the destinations once what comes before them is done.
  func decide(_ entries: consuming [EntryFacts], isVacated: Bool = false) async -> [PlannedWork] {
    var batch = entries
    if scope.isSelective { batch.removeAll { !scope.includes($0.entry.destination) } }
    var work = [PlannedWork?](repeating: nil, count: batch.count)
    var open: [(place: Int, question: Question)] = []
    let unread = lookUp(&batch)
    for place in batch.indices {
      if let drift = scope.binder?.bind(&batch[place]) {
        work[place] = .entry(DecidedEntry(batch[place], .failed(drift)))
      } else if let failure = unread ?? look(at: &batch[place], isVacated) {
        work[place] = .entry(DecidedEntry(batch[place], Self.blocked(failure)))
      } else {
        ask(place, &batch[place], &work, &open)
      }
    }
    // Two questions are the most that an entry takes; one more round for a file that changed while it was read.
    for _ in 0..<4 where !open.isEmpty {
      let answers = await answer(open, batch)
      open = []
      for (place, answer) in answers { take(answer, place, &batch, &work, &open) }
    }
    for (place, _) in open {
      let failure = TransferFailure(
        .internalError, .permanent, "\(batch[place].entry.destination): no decision was reached")
      work[place] = .entry(DecidedEntry(batch[place], .failed(failure)))
    }
    return work.compactMap { $0 }
  }

  /// Takes what the state says of all entries that were not looked up yet, in one read.
  private func lookUp(_ batch: inout [EntryFacts]) -> TransferFailure? {
    let places = batch.indices.filter { !batch[$0].hasLookedUp }
    guard !places.isEmpty else { return nil }
    do throws(TransferFailure) {
      let rows = try local.rows(at: places.map { batch[$0].entry.destination })
      for (number, place) in places.enumerated() { batch[place].take(rows[number]) }
      return nil
    } catch {
      return error
    }
  }

  private func look(at facts: inout EntryFacts, _ isVacated: Bool) -> TransferFailure? {
    do throws(TransferFailure) {
      facts.local = isVacated ? .absent : try local.fact(at: facts.entry.destination)
      return nil
    } catch {
      return error
    }
  }

  /// A file where the entry needs a folder is a conflict of names, not a fault of the machine.
  private static func blocked(_ failure: TransferFailure) -> Decision {
    guard failure.reason == .notADirectory || failure.reason == .symlinkRefused else { return .failed(failure) }
    var conflict = failure
    conflict.failureClass = .permanent
    return .failed(conflict, action: .conflict)
  }

  private func ask(
    _ place: Int, _ facts: inout EntryFacts, _ work: inout [PlannedWork?],
    _ open: inout [(place: Int, question: Question)]
  ) {
    let verdict = planner.verdict(
      for: facts.entry, local: facts.local, recorded: facts.recorded, remote: facts.remote,
      localDigests: facts.localDigests.isEmpty ? nil : facts.localDigests)
    switch verdict {
    case .decided(let decision) where scope.isOffline && decision.reason == .ask:
      work[place] = .entry(DecidedEntry(facts, .failed(RunScope.notLookedUp(facts.entry.references[0].display))))
    case .decided(let decision):
      if facts.remote == .notAsked, let first = remote.unaskable(decision, of: facts.entry) {
        open.append((place, .remote(first: first)))
      } else {
        work[place] = .entry(DecidedEntry(facts, decision))
      }
    case .needsRemote:
      open.append((place, .remote(first: Planner.referenceToAsk(facts.entry, recorded: facts.recorded))))
    case .needsLocalDigests(let algorithms): open.append((place, .digests(algorithms)))
    }
  }

  private func take(
    _ answer: Answer, _ place: Int, _ batch: inout [EntryFacts], _ work: inout [PlannedWork?],
    _ open: inout [(place: Int, question: Question)]
  ) {
    switch answer {
    case .remote(let fact): batch[place].remote = fact
    case .digests(.success(let found?)):
      for digest in found.digests.all { batch[place].localDigests[digest.algorithm] = digest }
      if case .file(_, let mode) = batch[place].local { batch[place].local = .file(found.stamp, mode: mode) }
    case .digests(.success(nil)): batch[place].local = .absent
    case .digests(.failure(let failure)):
      work[place] = .entry(DecidedEntry(batch[place], .failed(failure)))
      return
    }
    ask(place, &batch[place], &work, &open)
  }

  private func answer(
    _ questions: [(place: Int, question: Question)], _ batch: [EntryFacts]
  ) async -> [(place: Int, answer: Answer)] {
    await withTaskGroup(of: (Int, Answer).self) { group in
      var answers: [(place: Int, answer: Answer)] = []
      for (number, open) in questions.enumerated() {
        if number >= width, let answer = await group.next() { answers.append(answer) }
        let facts = batch[open.place]
        group.addTask { (open.place, await answer(open.question, facts, number)) }
      }
      for await answer in group { answers.append(answer) }
      return answers
    }
  }

  private func answer(_ question: Question, _ facts: EntryFacts, _ number: Int) async -> Answer {
    if let stop = control.stop {
      switch question {
      case .remote: return .remote(.failed(stop.failure))
      case .digests: return .digests(.failure(stop.failure))
      }
    }
    switch question {
    case .remote where scope.isOffline: return .remote(.failed(RunScope.notLookedUp(facts.entry.references[0].display)))
    case .remote(let first): return .remote(await remote.fact(of: facts.entry, first: first, loop: number))
    case .digests(let algorithms):
      return await threads.run { [local, control] in
        .digests(
          Result { () throws(TransferFailure) in
            try local.digests(of: facts.entry.destination, algorithms) { control.stop != nil }
          })
      }
    }
  }
}
