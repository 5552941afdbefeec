// Whether a run's numbers add up, and whether its exit status is the one that its failures ask for.

import Foundation
import MirrorEngine
import MirrorPlan
import TransferModel

enum ModelAccounts {
  /// The broken promises of one run that came to its end.
  static func problems(of ran: ModelWorld.Ran, report: [UInt8]) throws -> [String] {
    guard let result = ran.result else { return [] }
    var problems: [String] = []
    for outcome in Outcome.allCases {
      let count = ran.outcomes.count { $0.outcome == outcome }
      if result.totals[outcome] != count {
        problems.append("the totals have \(result.totals[outcome]) \(outcome.rawValue), and there were \(count)")
      }
    }
    let bytes = ran.outcomes.reduce(0) { $0 + $1.bytes }
    if result.totals.bytes != bytes {
      problems.append("\(bytes) bytes came, and the totals say \(result.totals.bytes)")
    }
    for row in ran.outcomes {
      let shouldFail: Set<Outcome> = [.failed, .skipped, .interrupted, .placeholder]
      if shouldFail.contains(row.outcome) != (row.failure != nil) {
        problems.append("\(row.destination) is \(row.outcome.rawValue), with failure \(row.failure?.message ?? "none")")
      }
    }
    let wanted = status(of: ran)
    if result.status != wanted { problems.append("the status is \(result.status), and should be \(wanted)") }
    return problems + (try reportProblems(ran, result, report))
  }

  private static func reportProblems(
    _ ran: ModelWorld.Ran, _ result: RunResult, _ bytes: [UInt8]
  ) throws -> [String] {
    guard let report = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
      let items = report["items"] as? [[String: Any]], let exit = report["exit"] as? [String: Any],
      let errors = report["errors"] as? [Any]
    else { return ["the report is none"] }
    var problems: [String] = []
    let said = items.map { "\($0["to"] ?? "") \($0["outcome"] ?? "")" }.sorted()
    let heard = ran.outcomes.map { "\($0.destination) \($0.outcome.rawValue)" }.sorted()
    if said != heard { problems.append("the report's items are \(said), and the outcomes were \(heard)") }
    if exit["code"] as? Int != Int(result.status.rawValue) { problems.append("the report's exit is \(exit)") }
    if errors.count != ran.complaints.count { problems.append("\(errors.count) errors, \(ran.complaints.count) heard") }
    return problems
  }

  /// Signal, then what needs a look, then this machine, then for good, then for now.
  private static func status(of ran: ModelWorld.Ran) -> ExitStatus {
    if ran.wasStopped { return .interrupted }
    var found: Set<ExitStatus> = []
    for failure in ran.outcomes.compactMap(\.failure) + ran.complaints {
      switch (failure.reason, failure.failureClass) {
      case (.cancelled, _), (_, .cancelled): break
      case (.pruneRefused, _), (.listingIncomplete, _), (.factsMoved, _), (.lockDrift, _): found.insert(.safetyStop)
      case (.retryLimitExceeded, _), (_, .transient), (_, .throttled): found.insert(.failedForNow)
      case (.unauthenticated, _), (_, .unauthenticated): found.insert(.authentication)
      case (_, .local): found.insert(.localResource)
      case (_, .permanent), (_, .integrity): found.insert(.failedForGood)
      }
    }
    return [.safetyStop, .localResource, .authentication, .failedForGood, .failedForNow].first { found.contains($0) }
      ?? .done
  }
}
