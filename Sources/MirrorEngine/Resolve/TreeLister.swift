// Lists one tree, page by page, and lets the inventory say what becomes of each object.

import CloudStorage
import MirrorPlan
import TransferModel

/// The list of one tree.
struct TreeLister: Sendable {
  let remote: RemoteStore
  let tree: Tree
  let claims: EntryClaims

  /// Names the tree in the state: the reference and where it lands.
  var key: String { "\(source) -> \(tree.destination?.text ?? ".")" }

  private var source: String { "gs://\(tree.prefix.bucket)/\(tree.prefix.object?.text ?? "")" }

  /// Delivers admissions in the order of the list, in batches; the list's own failure goes to `fail`. Returns the claims for
  /// the next tree.
  func run(
    stop: @Sendable () -> RunControl.Stop?, deliver: @Sendable ([Admission]) async -> Void,
    fail: @Sendable (PlannedEntry) async -> Void
  ) async -> EntryClaims {
    let filter = TreeFilter(tree)
    var inventory = EntryInventory(tree: tree, claims: claims, isIncluded: { filter.includes($0) })
    let service = remote.service(at: tree.prefix.endpoint)
    var walk = ListWalk(service, bucket: tree.prefix.bucket, prefix: tree.prefix.object?.text ?? "")
    var reported = 0
    do throws(TransferFailure) {
      walking: while true {
        if let reason = stop() { throw reason.failure }
        switch walk.next() {
        case .finished: break walking
        case .fetch(let request):
          let page = try await remote.page(request, service: service, settings: tree.settings)
          do throws(ListCursor.Violation) { try walk.take(page) } catch { throw error.failure }
          let problems = walk.problems[reported...].map { Admission.refused(row(for: $0)) }
          reported = walk.problems.count
          if !problems.isEmpty { await deliver(problems) }
        case .deliver(let items):
          await deliver(items.map { inventory.admit(ListedObject($0.name, $0.version)) })
        }
      }
    } catch {
      await fail(row(for: error))
    }
    return inventory.claims
  }

  private func row(for problem: ObjectListPage.Problem) -> PlannedEntry {
    let failure = TransferFailure(
      .unsafeName, .permanent, "an object of \(source) cannot be had: \(problem.message)")
    return PlannedEntry(
      destination: problem.name?.text ?? source, action: .error, reason: .failure(.unsafeName), source: source,
      failure: failure)
  }

  private func row(for failure: TransferFailure) -> PlannedEntry {
    var listing = failure
    if failure.reason != .cancelled { listing.message = "\(source) could not be listed: \(failure.message)" }
    return PlannedEntry(
      destination: tree.destination?.text ?? source, action: .error, reason: .failure(listing.reason), source: source,
      failure: listing)
  }
}
