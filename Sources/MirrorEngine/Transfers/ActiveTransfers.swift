// Which transfers are worth a line of their own right now: the big ones, and those that wait. For a display; nothing is
// decided from it.

package import TransferModel

/// Downloads that take long enough to be looked at, by destination. Small ones never touch it. Any thread.
package final class ActiveTransfers: Sendable {
  /// A body below this is over before anyone has read its name.
  static let worthShowing: Int64 = 256 << 10
  /// More are not kept: no display shows them.
  private static let capacity = 64

  package struct Line: Hashable, Sendable {
    package var destination: String
    package var bytes: Int64 = 0
    /// nil when the server did not say.
    package var total: Int64?
    /// nil while bytes may come.
    package var waiting: Waiting?
  }

  /// A pause between two attempts.
  package struct Waiting: Hashable, Sendable {
    /// Why the last attempt failed.
    package var reason: String
    package var until: MonotonicInstant
  }

  fileprivate struct State {
    var next = 0
    var lines: [RelativePath: (order: Int, line: Line)] = [:]
  }

  fileprivate let state = Lock(State())

  package init() {}

  /// The lines, oldest first.
  package var lines: [Line] {
    state.withLock { state in state.lines.values.sorted { $0.order < $1.order }.map(\.line) }
  }

  /// Bytes have come.
  func advance(_ destination: RelativePath, bytes: Int64, total: Int64?) {
    guard max(bytes, total ?? 0) >= Self.worthShowing else { return }
    state.withLock { state in
      state.change(destination, capacity: Self.capacity) { line in
        line.bytes = bytes
        line.total = total
        line.waiting = nil
      }
    }
  }

  func wait(_ destination: RelativePath, _ waiting: Waiting) {
    state.withLock { $0.change(destination, capacity: Self.capacity) { $0.waiting = waiting } }
  }

  func end(_ destinations: some Sequence<RelativePath>) {
    state.withLock { state in
      guard !state.lines.isEmpty else { return }
      for destination in destinations { state.lines[destination] = nil }
    }
  }
}

extension ActiveTransfers.State {
  fileprivate mutating func change(
    _ destination: RelativePath, capacity: Int, _ body: (inout ActiveTransfers.Line) -> Void
  ) {
    if lines[destination] == nil {
      guard lines.count < capacity else { return }
      next += 1
      lines[destination] = (next, ActiveTransfers.Line(destination: destination.text))
    }
    body(&lines[destination, default: (next, ActiveTransfers.Line(destination: destination.text))].line)
  }
}
