// The requests that were answered, kept for later assertions. Requests to `/_emulator/` are not among them.

package import TransferModel

/// One line of the log.
package struct LoggedRequest: Sendable {
  package var request: EmulatorRequest
  /// The status that was sent; nil when none was: the connection was dropped, or the answer is not out yet.
  package var status: Int?

  package var method: String { request.method }
  /// The target as it was sent, undecoded.
  package var target: String { request.target.raw }
  package var fields: HTTPFields { request.fields }
  package var body: [UInt8] { request.body }
  package var connection: Int { request.connection }
  package var time: Timestamp { request.time }
}

/// Keeps the last requests, up to a limit.
final class RequestLog: Sendable {
  private struct State {
    var requests: [LoggedRequest] = []
    var count = 0
  }

  private let limit: Int
  private let state = Lock(State())

  init(limit: Int) { self.limit = limit }

  var snapshot: [LoggedRequest] { state.withLock { $0.requests } }

  /// The number for the request that comes next.
  func append(_ request: EmulatorRequest) -> Int {
    state.withLock { state in
      state.count += 1
      var numbered = request
      numbered.number = state.count
      // Dropping the older half at once keeps the cost of a full log low.
      if state.requests.count >= limit { state.requests.removeFirst(state.requests.count / 2 + 1) }
      state.requests.append(LoggedRequest(request: numbered, status: nil))
      return state.count
    }
  }

  func setStatus(_ status: Int, ofRequest number: Int) {
    state.withLock { state in
      let index = state.requests.count - 1 - (state.count - number)
      guard state.requests.indices.contains(index) else { return }
      state.requests[index].status = status
    }
  }

  func clear() { state.withLock { $0 = State() } }
}

extension LoggedRequest {
  /// One JSON object without line breaks; the body only by its length, unless it is short text.
  var line: String {
    let headers = fields.all.map { JSONValue.array([.string($0.name), .string($0.value)]) }
    var members: [(String, JSONValue)] = [
      ("number", .integer(request.number)), ("time", .string(time.rfc3339())),
      ("connection", .integer(connection)), ("method", .string(method)), ("target", .string(target)),
      ("status", status.map { .integer($0) } ?? .null), ("headers", .array(headers)),
      ("bodyBytes", .integer(body.count)),
    ]
    if !body.isEmpty, body.count <= 4096, let text = String(validating: body, as: UTF8.self) {
      members.append(("body", .string(text)))
    }
    return String(decoding: JSONValue.pairs(members).compactBytes, as: UTF8.self)
  }
}
