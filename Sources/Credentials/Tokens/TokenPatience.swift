// How often a token service is asked: its own small policy, apart from that of transfers, which wait minutes.

import TransferModel

/// Tries, with waits that double and vary by a tenth.
///
/// | answer | tried again |
/// | --- | --- |
/// | 408, 429, 500, 503, 504 | yes |
/// | any other error whose word or description is `internal_failure`, `server_error`, `temporarily_unavailable` | yes |
/// | no answer: connection, name server, time-out | yes |
/// | no answer: certificate, wrong protocol | no |
/// | everything else | no |
package struct TokenPatience: Hashable, Sendable {
  /// At least 1.
  package var attempts: Int
  /// The wait after the first failure.
  package var initial: Duration

  package init(attempts: Int, initial: Duration = .seconds(1)) {
    self.attempts = attempts
    self.initial = initial
  }

  package static let tokenService = TokenPatience(attempts: 3)
  package static let metadataServer = TokenPatience(attempts: 5)

  /// The wait before the next try; nil when `answer`, to try number `attempt` (from 1), stands. `random` in [0, 1).
  package func wait(after answer: TokenAnswer, attempt: Int, random: Double) -> Duration? {
    guard attempt < attempts, Self.mayHelp(answer) else { return nil }
    return initial * (1 << min(attempt - 1, 10)) * (0.9 + 0.2 * random)
  }

  private static func mayHelp(_ answer: TokenAnswer) -> Bool {
    guard let head = answer.head else {
      guard let fault = answer.fault else { return false }
      return TransferFailure(fault, place: "").failureClass.isTransient
    }
    return isTransient(status: head.status, error: head.status == 200 ? nil : answer.error)
  }

  static func isTransient(status: Int, error: TokenServiceError?) -> Bool {
    if [408, 429, 500, 503, 504].contains(status) { return true }
    guard let error, !error.isFirebase else { return false }
    return transientWords.contains(error.code) || error.detail.map(transientWords.contains) ?? false
  }

  private static let transientWords: Set<String> = ["internal_failure", "server_error", "temporarily_unavailable"]
}
