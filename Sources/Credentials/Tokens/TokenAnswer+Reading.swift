// Reads what token services answer: JSON with a token, or an error in one of three dialects.

package import TransferModel

/// What a token service says about an error.
package struct TokenServiceError: Hashable, Sendable {
  /// OAuth's `error`, or Firebase's code before the first colon.
  package var code: String
  package var detail: String?
  /// Whether `code` is a Firebase word.
  package var isFirebase: Bool

  /// | dialect | body |
  /// | --- | --- |
  /// | OAuth (RFC 6749 section 5.2) | `{"error": "invalid_grant", "error_description": "…"}` |
  /// | Firebase | `{"error": {"code": 400, "message": "INVALID_PASSWORD : …"}}` |
  /// | Google APIs | `{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "…"}}` |
  package init?(body: [UInt8]) {
    guard let document = try? JSONValue(parsing: body), let error = document["error"] else { return nil }
    if let word = error.string {
      self.init(code: word, detail: document["error_description"]?.string, isFirebase: false)
      return
    }
    guard let message = error["message"]?.string else { return nil }
    if let status = error["status"]?.string, !Self.isCode(Self.firstPart(message)) {
      self.init(code: status, detail: message, isFirebase: false)
      return
    }
    let code = Self.firstPart(message)
    let rest = message.utf8.firstIndex(of: UInt8(ascii: ":")).map { ASCII.trimmed(message[$0...].dropFirst()) }
    self.init(code: code, detail: rest.map { String($0) }, isFirebase: true)
  }

  private init(code: String, detail: String?, isFirebase: Bool) {
    self.code = code
    self.detail = detail
    self.isFirebase = isFirebase
  }

  private static func firstPart(_ message: String) -> String {
    let colon = message.utf8.firstIndex(of: UInt8(ascii: ":")) ?? message.endIndex
    return String(ASCII.trimmed(message[..<colon]))
  }

  private static func isCode(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0 &- 0x41 < 26 || ASCII.isDigit($0) }
  }

  package var text: String { detail.map { "\(code): \($0)" } ?? code }
}

extension TokenAnswer {
  package var error: TokenServiceError? { TokenServiceError(body: body) }

  /// The document of a 200; throws what the service says otherwise. `hint` gives advice for an error.
  package func document(
    hint: (TokenServiceError?) -> String? = { _ in nil }
  ) throws(TransferFailure) -> JSONValue {
    guard head?.status == 200 else { throw failure(hint: hint) }
    guard let document = try? JSONValue(parsing: body) else {
      throw Self.refusal("\(place) answered with something that is not JSON", hint: "Is the address right?")
    }
    return document
  }

  /// What a token service that did not give a token leads to: transient when waiting may help.
  package func failure(hint: (TokenServiceError?) -> String? = { _ in nil }) -> TransferFailure {
    if let fault { return TransferFailure(fault, place: place) }
    guard let head else { return Self.refusal("\(place) gave no answer", hint: nil) }
    let error = error
    var message = "\(place) answered \(head.status)"
    if let error {
      message += ": \(error.text)"
    } else if !body.isEmpty {
      // Whole: it is cut when it has been redacted, as half a secret would not be found.
      message += ": \(String(decoding: body, as: UTF8.self))"
    }
    if let skew = clockSkew { message += "; this machine's clock is \(skew)" }
    let isTransient = TokenPatience.isTransient(status: head.status, error: error)
    return TransferFailure(
      isTransient ? .serverError : .unauthenticated, isTransient ? .transient : .unauthenticated, message,
      hint: hint(error), httpStatus: head.status)
  }

  /// A text member that must be there and not empty.
  package func text(_ key: String, of document: JSONValue) throws(TransferFailure) -> String {
    guard let text = document[key]?.string, !text.isEmpty else {
      throw Self.refusal("\(place) answered without `\(key)`", hint: nil)
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Self.refusal("\(place) answered with a `\(key)` that can be no header field", hint: nil)
    }
    return text
  }

  /// A number of seconds, written as a number or as a text; nil when it is left out.
  package func lifetime(_ key: String, of document: JSONValue) -> Duration? {
    document[key]?.int64.map { .seconds(max(0, min($0, 10 * 365 * 86_400))) }
  }

  /// The server's clock less this machine's; nil when the server does not tell.
  package var serverOffset: Duration? {
    head?.fields["Date"].flatMap { Timestamp(httpDate: $0, now: now) }.map { $0 - now }
  }

  /// In words, when it is more than a minute: no grant survives that.
  private var clockSkew: String? {
    guard let offset = serverOffset, offset > .seconds(60) || offset < .seconds(-60) else { return nil }
    let minutes = Int(offset.inSeconds / 60)
    return minutes > 0 ? "\(minutes) min behind the server's" : "\(-minutes) min ahead of the server's"
  }

  package static func refusal(_ message: String, hint: String?) -> TransferFailure {
    TransferFailure(.unauthenticated, .unauthenticated, message, hint: hint)
  }
}
