// Answers that a rule gives in place of the service's own.

import TransferModel

enum FaultAnswer {
  static func status(
    _ code: Int, _ retryAfter: FaultAction.RetryAfter?, _ body: FaultAction.FaultBody?, _ route: Route, isMedia: Bool,
    _ plan: FaultPlan
  ) -> EmulatorAnswer {
    let message = "Scripted answer \(code)"
    var answer: EmulatorAnswer
    switch body {
    case .html:
      let page = "<!DOCTYPE html><html><head><title>\(code)</title></head><body>\(message)</body></html>"
      answer = EmulatorAnswer(code, type: "text/html; charset=UTF-8", Array(page.utf8))
    case .jsonFirebase: answer = .firebaseError(code, message)
    case .jsonGoogle: answer = .googleError(code, message)
    case .xml: answer = .xmlError(code, message)
    case .text(let text): answer = EmulatorAnswer(code, type: "text/plain", Array(text.utf8))
    case .bytes(let count):
      answer = EmulatorAnswer(code, type: "application/octet-stream", Array(repeating: UInt8(ascii: "x"), count: count))
    case .empty: answer = EmulatorAnswer(code)
    case nil:
      answer = code < 400 ? EmulatorAnswer(code) : .error(code, message, route.api ?? .google, isMedia: isMedia)
    }
    switch retryAfter {
    case .seconds(let seconds): answer.fields.append("Retry-After", String(seconds))
    case .date(let offset):
      let date = Timestamp.now().advanced(by: offset).advanced(by: plan.dateOffset ?? .zero)
      answer.fields.append("Retry-After", date.httpDate)
    case nil: break
    }
    return answer
  }

  static func denied(_ status: Int, _ route: Route, isMedia: Bool) -> EmulatorAnswer {
    let api = route.api ?? .google
    let message = status == 403 ? "Permission denied." : "Login Required."
    var answer = EmulatorAnswer.error(status, message, api, isMedia: isMedia)
    if status == 401 { answer.fields.append("WWW-Authenticate", "Bearer realm=\"storage-emulator\"") }
    return answer
  }

  /// nil when a chain has come to its end. The hops already made are counted in the query parameter `_hop`.
  static func redirect(
    _ code: Int, _ target: FaultAction.RedirectTarget, _ request: EmulatorRequest
  ) -> EmulatorAnswer? {
    var answer = EmulatorAnswer(code)
    let raw = request.target.raw
    switch target {
    case .loop: answer.fields.append("Location", raw)
    case .to(let url):
      let port = request.fields["Host"]?.split(separator: ":").last.map(String.init) ?? ""
      answer.fields.append("Location", put(raw, for: "{target}", in: put(port, for: "{port}", in: url)))
    case .chain(let length):
      let hop = request.target["_hop"].flatMap { Int($0) } ?? 0
      guard hop < length else { return nil }
      let base = raw.split(separator: "_hop=", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let separator = base.hasSuffix("?") || base.hasSuffix("&") ? "" : base.contains("?") ? "&" : "?"
      answer.fields.append("Location", "\(base)\(separator)_hop=\(hop + 1)")
    }
    return answer
  }

  private static func put(_ value: String, for mark: String, in text: String) -> String {
    text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: value)
  }
}

extension Timestamp {
  func advanced(by offset: Duration) -> Timestamp {
    let (seconds, attoseconds) = offset.components
    let nanoseconds = Int64(nanoseconds) + attoseconds / 1_000_000_000
    let carry = nanoseconds < 0 ? -1 : nanoseconds / 1_000_000_000
    return Timestamp(
      seconds: self.seconds + seconds + carry, nanoseconds: Int32(nanoseconds - carry * 1_000_000_000))
  }
}
