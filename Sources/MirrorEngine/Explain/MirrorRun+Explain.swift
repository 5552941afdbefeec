// `mirror explain`: one entry, its facts, and the way to the decision.

package import MirrorPlan
package import TransferModel

extension MirrorRun {
  /// Why the planner decides what it decides about a destination; changes nothing. A tree is not listed for it: its
  /// object is asked about by itself.
  ///
  /// Throws `usage` for a destination that nothing in the manifest wants.
  package func explain(_ destination: RelativePath) async throws(RunRefusal) -> Explanation {
    let (wanted, tree) = try entry(at: destination)
    let parts = try RunParts(self)
    let (directories, state) = try localSide()
    var scope = RunScope()
    scope.binder = LockBinder(options.lock)
    let resolver = try resolver(
      parts, directories: directories, home: directories?.root, state: state, asksFirst: true, scope: scope)
    let start = EntryFacts(entry: resolver.adjusted(wanted), tree: tree)
    guard case .entry(let item)? = await resolver.decider.decide([start]).first else {
      throw RunRefusal(
        status: .internalError, failure: TransferFailure(.internalError, .permanent, "no decision was reached"))
    }
    let (facts, decision) = (item.facts, item.decision)
    var remote = facts.remote
    if facts.locked == nil, remote == .notAsked, let known = await ask(facts, parts, decision) { remote = known }
    let rulings = Planner(checksLocal: options.checksLocal).trace(
      for: facts.entry, local: facts.local, recorded: facts.recorded, remote: remote, localDigests: facts.localDigests,
      isTold: facts.locked != nil || (tree != nil && parts.remote.listsNameVersions))
    return Explanation(
      entry: facts.entry, tree: tree, local: facts.local, recorded: facts.recorded, remote: remote,
      locked: facts.locked, rulings: rulings, decision: decision,
      listsNameVersions: parts.remote.listsNameVersions)
  }

  /// What is there, also where the decision did without: whoever asks why wants to see it.
  private func ask(_ facts: EntryFacts, _ parts: RunParts, _ decision: Decision) async -> RemoteFact? {
    guard decision.failure == nil else { return nil }
    let first = Planner.referenceToAsk(facts.entry, recorded: facts.recorded)
    return await parts.remote.fact(of: facts.entry, first: first, loop: 0)
  }

  private func entry(at destination: RelativePath) throws(RunRefusal) -> (Entry, tree: String?) {
    if let item = manifest.items.first(where: { $0.destination == destination }) { return (Entry(item), nil) }
    for tree in manifest.trees {
      if let entry = LockBinder.entry(at: destination, of: tree) { return (entry, TreeLister.key(of: tree)) }
    }
    throw RunRefusal(
      status: .usage,
      failure: TransferFailure(
        .invalidRequest, .permanent,
        "nothing in the manifest lands at \(TerminalText.escape(destination.text))",
        hint: Suggestion.hint(for: destination.text, among: manifest.items.map(\.destination.text))))
  }
}
