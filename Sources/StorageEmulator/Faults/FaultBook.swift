// The rules in force, and how often each has been met.

import TransferModel

/// Which faults apply to which request. All rules that match add up in their order; of two actions of one kind the later
/// one counts.
package final class FaultBook: Sendable {
  private struct State {
    var rules: [FaultRule] = []
    /// How often a rule was met, for each path; the path is empty where all count together.
    var counts: [Counter: Int] = [:]
  }

  private struct Counter: Hashable {
    var rule: Int
    var path: ObjectName
  }

  private let state = Lock(State())

  init() {}

  /// Puts these rules in place of all others; counting begins anew.
  package func set(_ rules: [FaultRule]) { state.withLock { $0 = State(rules: rules) } }

  /// As `set`, from the text form; only rules, as the other statements are for the objects.
  package func set(_ text: String) throws(FaultScript.Violation) { set(try FaultScript(parsing: text).rules) }

  package func add(_ rule: FaultRule) { state.withLock { $0.rules.append(rule) } }
  package func clear() { set([]) }

  /// Counts the request and returns the actions for it.
  func actions(for request: EmulatorRequest, _ route: Route) -> [FaultAction] {
    state.withLock { state in
      var actions: [FaultAction] = []
      for (index, rule) in state.rules.enumerated() where rule.matches(request, route) {
        let counter = Counter(rule: index, path: ObjectName(rule.countsTogether ? "" : route.subject))
        let number = state.counts[counter, default: 0] + 1
        state.counts[counter] = number
        if rule.requests.contains(number) { actions += rule.actions }
      }
      return actions
    }
  }
}
