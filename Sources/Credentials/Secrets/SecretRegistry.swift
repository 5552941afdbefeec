// Every secret of a run, gathered as it becomes known, so that no text leaves the run with one in it.

package import TransferModel

/// A redactor that learns: tokens appear while a run is going on. Any thread.
package final class SecretRegistry: Sendable {
  private struct State {
    var redactor = Redactor()
    var known: Set<String> = []
  }

  private let state = Lock(State())

  private static let longestMessage = 600

  package init() {}

  /// From now on, `redact` replaces this value in every spelling that `Redactor` knows.
  package func add(_ secret: String) {
    state.withLock { state in
      if state.known.insert(secret).inserted { state.redactor.add(secret) }
    }
  }

  package func redact(_ text: String) -> String {
    let redactor = state.withLock { $0.redactor }
    return redactor.redact(text)
  }

  /// The failure with its texts redacted, and then its message cut to a length that can be read.
  package func redact(_ failure: TransferFailure) -> TransferFailure {
    var copy = failure
    copy.message = redact(failure.message)
    if copy.message.utf8.count > Self.longestMessage {
      copy.message = String(decoding: copy.message.utf8.prefix(Self.longestMessage), as: UTF8.self) + "…"
    }
    copy.hint = failure.hint.map(redact)
    copy.serverBody = failure.serverBody.map(redact)
    return copy
  }
}
