// How tokens are obtained, as values: each method says what to ask or read next, and makes the next step from the answer.
// Nothing is sent or read here (`TokenErrand`), so each method can be tested step by step.

package import TransferModel

/// One way to obtain a credential.
package protocol TokenMethod: Sendable {
  /// What it is, for messages; without secrets.
  var label: String { get }
  /// Secrets that the method holds from the beginning, to be hidden in all output.
  var secrets: [String] { get }
  /// The first step. `now` is the time of day, for methods that sign it.
  func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep
}

extension TokenMethod {
  package var secrets: [String] { [] }
}

/// A credential's value, as it stands behind the header's prefix.
package struct IssuedToken: Sendable {
  package var value: String
  /// From the moment of the answer; nil = until it is refused.
  package var lifetime: Duration?
  /// How the next one is obtained; nil = as this one was.
  package var successor: (any TokenMethod)?
  /// What else was learned on the way and must not be shown.
  package var secrets: [String]

  package init(
    value: String, lifetime: Duration? = nil, successor: (any TokenMethod)? = nil, secrets: [String] = []
  ) {
    self.value = value
    self.lifetime = lifetime
    self.successor = successor
    self.secrets = secrets
  }
}

package enum TokenStep: Sendable {
  case done(IssuedToken)
  case ask(TokenRequest, then: @Sendable (TokenAnswer) throws(TransferFailure) -> TokenStep)
  /// One secret, checked to be one line of text.
  case read(SecretSource, then: @Sendable (String) throws(TransferFailure) -> TokenStep)
  /// A whole file.
  case readFile(String, then: @Sendable ([UInt8]) throws(TransferFailure) -> TokenStep)
}

/// A request to a token service, and how often it is tried.
package struct TokenRequest: Sendable {
  package var request: HTTPRequest
  package var patience: TokenPatience
  /// Who is asked, for messages.
  package var place: String
  /// Secrets that were made for this request.
  package var secrets: [String]

  package init(
    _ request: HTTPRequest, place: String, patience: TokenPatience = .tokenService, secrets: [String] = []
  ) {
    self.request = request
    self.place = place
    self.patience = patience
    self.secrets = secrets
  }
}

/// The last answer to a `TokenRequest`, after all tries.
package struct TokenAnswer: Sendable {
  /// nil when none came; then `fault` says why.
  package var head: HTTPResponseHead?
  package var body: [UInt8]
  package var fault: TransportFault?
  package var place: String
  /// The time of day when it came.
  package var now: Timestamp

  package init(
    head: HTTPResponseHead?, body: [UInt8] = [], fault: TransportFault? = nil, place: String, now: Timestamp
  ) {
    self.head = head
    self.body = body
    self.fault = fault
    self.place = place
    self.now = now
  }
}
