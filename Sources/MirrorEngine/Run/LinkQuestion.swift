// What is asked about a plain URL without a manifest: `mirror stat URL`. Places in buckets are `StorageQuestion`'s.

import FileTransfer
import MirrorPlan
package import TransferModel

/// One plain URL. A value; any task may use it.
package struct LinkQuestion: Sendable {
  package let url: HTTPURL
  private let services: TransferServices
  private let retry: RetryPolicy

  /// - Parameter retryBudget: nil = 2 minutes; someone waits for the answer.
  package init(
    _ url: HTTPURL, access: ServiceAccess, retryBudget: Duration?, environment: RunEnvironment
  ) throws(RunRefusal) {
    self.url = url
    services = try access.parts(environment).services
    retry = RetryPolicy(budget: retryBudget ?? .seconds(120))
  }

  /// What the server says of the version that is there now; no bytes are kept.
  package func version() async throws(TransferFailure) -> ObjectVersion {
    try await services.version(at: url, timeouts: TransferTimeouts(), retry: retry, deadline: nil)
  }
}
