// Lets a value of one transfer thread be carried through other threads without being touched there.

package import TransferModel

/// A box whose content is read and written on one loop's thread only; other threads may hold the box and send it back by
/// `HTTPTransport.run`. The one exception to "touch" is the release of the last reference, when nobody else has it.
package final class LoopConfined<Value>: Sendable {
  private nonisolated(unsafe) var content: Value

  package init(_ content: Value) { self.content = content }

  /// The content; `loop` stands for the promise to be on its thread.
  package func value(on loop: any TransferLoop) -> Value { content }

  package func set(_ value: Value, on loop: any TransferLoop) { content = value }
}

/// A closure of one loop's thread that any thread may ask for.
package final class LoopResumption: Sendable {
  private let transport: any HTTPTransport
  private let loopIndex: Int
  // Called on the loop's thread only: `deliver` hands it over through `HTTPTransport.run`.
  private nonisolated(unsafe) let action: (TransferFailure?) -> Void

  package init(
    transport: any HTTPTransport, loop: any TransferLoop, action: @escaping (TransferFailure?) -> Void
  ) {
    self.transport = transport
    loopIndex = loop.index
    self.action = action
  }

  /// From any thread; returns at once.
  package func deliver(_ failure: TransferFailure?) {
    transport.run(onLoop: loopIndex) { _ in self.action(failure) }
  }
}
