// Why the planner decides what it decides about one entry: the facts, the rows, the requests. Gathering the facts is
// `MirrorEngine`'s.

import TransferModel

/// Everything that a decision about one entry stands on.
package struct Explanation: Sendable {
  package var entry: Entry
  /// Names the tree that it belongs to; nil for an item.
  package var tree: String?
  package var local: LocalFact
  package var recorded: RecordedFile?
  package var remote: RemoteFact
  package var locked: LockEntry?
  /// How `apply` gets to its decision.
  package var rulings: [Ruling]
  /// What `plan`, which asks everything first, decides.
  package var decision: Decision
  /// Whether a list of the bucket says which version each object has.
  package var listsNameVersions: Bool

  package init(
    entry: Entry, tree: String?, local: LocalFact, recorded: RecordedFile?, remote: RemoteFact, locked: LockEntry?,
    rulings: [Ruling], decision: Decision, listsNameVersions: Bool
  ) {
    self.entry = entry
    self.tree = tree
    self.local = local
    self.recorded = recorded
    self.remote = remote
    self.locked = locked
    self.rulings = rulings
    self.decision = decision
    self.listsNameVersions = listsNameVersions
  }

  /// What `apply` sends for the entry, in its order; empty = nothing.
  package var requests: [String] {
    var requests: [String] = []
    if tree != nil, locked == nil { requests.append("LIST \(TerminalText.escape(tree ?? "")), shared by the tree") }
    for ruling in rulings {
      switch ruling.verdict {
      case .needsLocalDigests: break
      case .needsRemote: requests.append(question)
      case .decided(let decision): decision.fetch.map { requests.append(download($0)) }
      }
    }
    return requests
  }

  private var question: String {
    let reference = entry.references[Planner.referenceToAsk(entry, recorded: recorded)]
    let name = TerminalText.escape(reference.display)
    switch reference {
    case .web: return "HEAD \(name)"
    case .storage where listsNameVersions && tree == nil && entry.generation == nil:
      return "metadata of \(name), or one LIST of its folder when \(InventoryQuestions.worthListing) items ask for it"
    case .storage: return "metadata of \(name)"
    }
  }

  private func download(_ fetch: Fetch) -> String {
    switch fetch {
    case .whole: return "GET \(TerminalText.escape(entry.references[0].display))"
    case .version(let version):
      let name = TerminalText.escape(entry.references[0].display)
      return "GET \(name)" + (version.generation.map { ", generation \($0)" } ?? "")
    case .conditional(let validator, let place):
      return "GET \(TerminalText.escape(entry.references[place].display)), unless it is still \(validator.words)"
    }
  }
}

extension Validator {
  fileprivate var words: String {
    switch self {
    case .generation(let generation): "generation \(generation)"
    case .strongETag(let tag), .weakETag(let tag): "ETag \(tag)"
    case .lastModified(let date): "of \(date.rfc3339(.seconds))"
    }
  }
}
