// Asks the token providers for each request of one operation, so that a user who signs out or in between two requests is
// what the service sees (nothing is kept across requests).

import Foundation
package import TransferModel

/// The credentials of one operation. Tokens go to the service's own origin only, and never in the clear past this machine.
package final class OperationAuthorizer: RequestAuthorizer {
  private struct State {
    /// Fetched for the next request, and used up by it.
    var fetched: HTTPFields?
    var failure: (any Error)?
    var hasWarned = false
  }

  private let origin: Origin
  private let options: StorageOptions
  private let state = Lock(State())

  package init(origin: Origin, options: StorageOptions) {
    self.origin = origin
    self.options = options
  }

  /// What a token provider threw; it has ended the operation.
  package var tokenError: (any Error)? { state.withLock { $0.failure } }

  package func authorization(for url: HTTPURL) -> RequestAuthorization {
    guard url.origin == origin, options.tokens != nil || options.appCheck != nil else { return .none }
    guard origin.scheme == .https || origin.isLoopback else {
      warnOnce(
        "I-STR000002: tokens are not sent to \(origin), as anyone on the way could read them; use https, or an emulator "
          + "on this machine")
      return .none
    }
    let fields = state.withLock { state in
      defer { state.fetched = nil }
      return state.fetched
    }
    guard let fields else { return .mustRenew }
    return fields.all.isEmpty ? .none : .ready(fields)
  }

  package func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    Task {
      var fields = HTTPFields()
      do {
        if let token = try await options.tokens?.idToken(forcingRefresh: refused != nil) {
          fields.append("Authorization", "Firebase \(token)")
        }
      } catch {
        state.withLock { $0.failure = error }
        completion(
          TransferFailure(
            .unauthenticated, .permanent, "no token could be had for \(origin): \(error)",
            hint: "Sign in again."))
        return
      }
      if let token = await appCheckToken(forcingRefresh: refused != nil) {
        fields.append("X-Firebase-AppCheck", token)
      }
      state.withLock { $0.fetched = fields }
      completion(nil)
    }
  }

  private func appCheckToken(forcingRefresh: Bool) async -> String? {
    do {
      return try await options.appCheck?.appCheckToken(forcingRefresh: forcingRefresh)
    } catch {
      warnOnce("no App Check token could be had, the request goes out without: \(error)")
      return nil
    }
  }

  private func warnOnce(_ line: String) {
    let isFirst = state.withLock { state in
      defer { state.hasWarned = true }
      return !state.hasWarned
    }
    if isFirst { options.onWarning(line) }
  }
}
