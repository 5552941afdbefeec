// How far a run is, for whoever displays it.

package import FileTransfer
import TransferModel

/// Counters of one run. Any thread, at any time.
package final class RunProgress: Sendable {
  package struct Snapshot: Hashable, Sendable {
    /// Entries that are decided.
    package var planned = 0
    /// Entries that have ended, failed ones too.
    package var done = 0
    package var failed = 0
    /// Known bytes of all downloads that are decided.
    package var bytesExpected: Int64 = 0
    /// Body bytes received.
    package var bytesReceived: Int64 = 0
  }

  package let received = TransferProgress()
  package let active = ActiveTransfers()
  private let counts = Lock(Snapshot())

  package init() {}

  package var snapshot: Snapshot {
    var snapshot = counts.withLock { $0 }
    snapshot.bytesReceived = received.bytes
    return snapshot
  }

  func add(planned: Int, bytesExpected: Int64) {
    counts.withLock { counts in
      counts.planned += planned
      counts.bytesExpected += bytesExpected
    }
  }

  func add(done: Int, failed: Int) {
    counts.withLock { counts in
      counts.done += done
      counts.failed += failed
    }
  }
}
