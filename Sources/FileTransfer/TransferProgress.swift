// How far transfers are, for whoever displays it: counters, never events.

import Synchronization

/// Body bytes received so far. Written by transfer threads, read by anyone at any time.
package final class TransferProgress: Sendable {
  private let counter = Atomic<Int64>(0)

  package init() {}

  package var bytes: Int64 { counter.load(ordering: .relaxed) }

  package func add(_ bytes: Int64) { counter.add(bytes, ordering: .relaxed) }
}
