// The way to a decision, question by question: what `mirror explain` shows. The rows are `PlannerTable`'s.

package import TransferModel

extension Planner {
  /// The rulings that lead from "nothing was asked" to the decision, when every question is answered by `remote` and
  /// `localDigests`. The last one is the decision; a trace that ends in a question lacks its answer. `isTold`: the remote
  /// side is known from the start, by a tree's list or by a lock file.
  package func trace(
    for entry: Entry, local: LocalFact, recorded: RecordedFile?, remote: RemoteFact, localDigests: DigestSet,
    isTold: Bool = false
  ) -> [Ruling] {
    var rulings: [Ruling] = []
    var (seen, digests) = (isTold ? remote : RemoteFact.notAsked, DigestSet())
    for _ in 0..<5 {
      let ruling = ruling(
        for: entry, local: local, recorded: recorded, remote: seen, localDigests: digests.isEmpty ? nil : digests)
      rulings.append(ruling)
      switch ruling.verdict {
      case .decided: return rulings
      case .needsRemote:
        guard seen == .notAsked, remote != .notAsked else { return rulings }
        seen = remote
      case .needsLocalDigests(let wanted):
        let known = digests
        for algorithm in wanted { digests[algorithm] = localDigests[algorithm] ?? digests[algorithm] }
        guard digests != known else { return rulings }
      }
    }
    return rulings
  }
}
