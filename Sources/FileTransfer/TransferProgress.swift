// How far transfers are, for whoever displays it: a counter, never events.

import TransferModel

/// Body bytes received so far. Written by transfer threads, read by anyone at any time.
package final class TransferProgress: Sendable {
  private let counter = Lock<Int64>(0)

  package init() {}

  package var bytes: Int64 { counter.withLock { $0 } }

  package func add(_ bytes: Int64) { counter.withLock { $0 += bytes } }
}
