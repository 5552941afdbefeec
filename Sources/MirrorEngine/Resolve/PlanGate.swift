// Lets through what a written plan has, as long as it stands on the same facts; everything else is refused.

import MirrorPlan
import TransferModel

/// One written plan, held against the work of one run. Any thread.
final class PlanGate: Sendable {
  let plan: PlanFile
  private let isSeen: Lock<[Bool]>

  init(_ plan: PlanFile) {
    self.plan = plan
    isSeen = Lock(Array(repeating: false, count: plan.count))
  }

  /// | planned | now | then |
  /// | --- | --- | --- |
  /// | no row, or it had failed | it fails | it fails |
  /// | no row, or it had failed | anything else | `facts_moved` |
  /// | a row | it fails | it fails |
  /// | a row | another action, or the facts have moved | `facts_moved` |
  /// | a row | the same | done |
  func check(_ work: PlannedWork) -> PlannedWork {
    guard case .entry(let item) = work else { return work }
    let (facts, decision) = (item.facts, item.decision)
    let place = plan.place(of: facts.entry.destination)
    if let place { isSeen.withLock { $0[place] = true } }
    guard decision.failure == nil else { return work }
    guard let place, let row = plan.row(at: place) else {
      return refused(facts, "it is not in the plan")
    }
    guard row.action == decision.action else {
      return refused(facts, "the plan says \(row.action.rawValue), and now it would be \(decision.action.rawValue)")
    }
    let now = PlanFacts(local: facts.local, remote: facts.remote)
    guard let planned = row.facts, planned.stillHold(now, isStorage: facts.asksStorage) else {
      return refused(facts, row.facts?.local == now.local ? "the object has changed" : "the file has changed")
    }
    return work
  }

  private func refused(_ facts: EntryFacts, _ why: String) -> PlannedWork {
    var facts = facts
    // A placeholder would be a change that was not planned.
    facts.entry.placeholder = nil
    return .entry(
      DecidedEntry(facts, .failed(Self.moved(TerminalText.escape(facts.entry.destination.text), why))))
  }

  /// What was planned and did not come up.
  var unmet: [String] {
    isSeen.withLock { seen in seen.indices.filter { !seen[$0] } }.compactMap { plan.row(at: $0)?.destination }
  }

  static func moved(_ place: String, _ why: String) -> TransferFailure {
    TransferFailure(
      .factsMoved, .permanent, "\(place) was left as it is: \(why) since the plan was made",
      hint: "Plan again, look at it, and apply that.")
  }
}

extension EntryFacts {
  /// Whether what is known of the remote side is about an object in a bucket.
  var asksStorage: Bool {
    switch entry.references[Planner.referenceToAsk(entry, recorded: recorded)] {
    case .storage: true
    case .web: false
    }
  }
}
