// Lists one tree, page by page, lets the inventory say what becomes of each object, and walks the state's rows beside it.

import MirrorPlan
import StorageCore
import TransferModel

/// The list of one tree.
struct TreeLister: Sendable {
  /// What the inventory says of an object, and what is recorded where it lands.
  struct Listed: Sendable {
    var admission: Admission
    var row: StateRow?
    /// False when the row has to be asked for by itself.
    var hasLookedUp: Bool
  }

  /// What is known when the list has ended.
  struct End: Sendable {
    /// For the next tree.
    var claims: EntryClaims
    var listing: ListingFact
    /// Files that mirror has written for the tree so far.
    var owned: Int
    /// The list did not come to its end; why was said.
    var hasFailed: Bool
  }

  /// Names that are worked on together.
  private static let batchSize = 1_000

  let remote: RemoteStore
  let tree: Tree
  /// The tree's place in the manifest.
  let number: Int
  let claims: EntryClaims
  /// nil = nothing is recorded.
  let state: StateStore?
  /// Whether what is recorded and not listed is noted, to be deleted.
  let prunes: Bool

  /// Names the tree in the state: the reference and where it lands.
  var key: String { Self.key(of: tree) }

  static func key(of tree: Tree) -> String { "\(source(of: tree)) -> \(tree.destination?.text ?? ".")" }

  private var source: String { Self.source(of: tree) }

  private static func source(of tree: Tree) -> String {
    "gs://\(tree.prefix.bucket)/\(tree.prefix.object?.text ?? "")"
  }

  /// Delivers what is listed in the order of the list, in batches, each while the next page is under way; the list's own
  /// failure goes to `fail`.
  func run(
    stop: @Sendable () -> RunControl.Stop?, deliver: @Sendable ([Listed]) async -> Void,
    fail: @Sendable (PlannedEntry) async -> Void
  ) async -> End {
    let service = remote.service(at: tree.prefix.endpoint)
    var walk = ListWalk(service, bucket: tree.prefix.bucket, prefix: tree.prefix.object?.text ?? "")
    var merge = TreeMerge(self)
    var ready: [ObjectListPage.Item] = []
    var reported = 0
    var hasFailed = false
    do throws(TransferFailure) {
      walking: while true {
        if let reason = stop() { throw reason.failure }
        switch walk.next() {
        case .deliver(let items): ready += items
        case .finished:
          await work(off: &ready, &merge, deliver)
          break walking
        case .fetch(let request):
          async let answer = page(request, service)
          await work(off: &ready, &merge, deliver)
          let page = try await answer.get()
          do throws(ListCursor.Violation) { try walk.take(page) } catch { throw error.failure }
          let problems = walk.problems[reported...].map { Admission.refused(row(for: $0)) }
          reported = walk.problems.count
          if !problems.isEmpty { await deliver(problems.map { Listed(admission: $0, row: nil, hasLookedUp: true) }) }
        }
      }
      try merge.finish()
    } catch {
      hasFailed = true
      await fail(row(for: error))
    }
    return End(
      claims: merge.inventory.claims,
      listing: merge.inventory.listing(hasAllPages: !hasFailed && walk.problems.isEmpty), owned: merge.owned,
      hasFailed: hasFailed)
  }

  private func page(
    _ request: HTTPRequest, _ service: ObjectService
  ) async -> Result<ObjectListPage, TransferFailure> {
    do throws(TransferFailure) {
      return .success(try await remote.page(request, service: service, settings: tree.settings))
    } catch {
      return .failure(error)
    }
  }

  private func work(
    off ready: inout [ObjectListPage.Item], _ merge: inout TreeMerge, _ deliver: @Sendable ([Listed]) async -> Void
  ) async {
    var rest = ready[...]
    ready = []
    while !rest.isEmpty {
      await deliver(rest.prefix(Self.batchSize).map { merge.take(ListedObject($0.name, $0.version)) })
      rest = rest.dropFirst(Self.batchSize)
    }
  }

  private func row(for problem: ObjectListPage.Problem) -> PlannedEntry {
    let failure = TransferFailure(
      problem.reason, .permanent, "an object of \(source) cannot be had: \(problem.message)")
    return PlannedEntry(
      destination: problem.name?.text ?? source, action: .error, reason: .failure(problem.reason), source: source,
      failure: failure)
  }

  func row(for failure: TransferFailure) -> PlannedEntry {
    var listing = failure
    switch failure.reason {
    case .cancelled, .pruneRefused, .listingIncomplete, .notLookedUp: break
    default: listing.message = "\(source) could not be listed: \(failure.message)"
    }
    return PlannedEntry(
      destination: tree.destination?.text ?? source, action: .error, reason: .failure(listing.reason), source: source,
      failure: listing)
  }
}
