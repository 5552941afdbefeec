// Keeps the last error answer of an operation whole, for the error that may come of it.

package import FileTransfer
package import TransferModel

/// An error answer as it came.
package struct KeptAnswer: Sendable {
  package var status: Int
  package var contentType: String?
  package var body: [UInt8]
}

/// Reads error answers for `AttemptLoop` and remembers the last one. For one operation; from any thread.
package final class AnswerKeeper: Sendable {
  private let kept = Lock<KeptAnswer?>(nil)

  package init() {}

  package var last: KeptAnswer? { kept.withLock { $0 } }

  package func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
    let answer = KeptAnswer(status: head.status, contentType: head.fields["Content-Type"], body: body)
    kept.withLock { $0 = answer }
    let error = ServiceError(status: head.status, body: body)
    return ServerExplanation(message: error.message, isRateLimit: error.isRateLimit)
  }
}
