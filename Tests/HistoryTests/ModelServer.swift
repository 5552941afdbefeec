// The remote side: the emulator's answers without a network, in virtual time, and what goes wrong on their way.
// Which faults there are in a run is chosen by `ModelRound`.

import Foundation
import TestSupport
import TransferModel

@testable import StorageEmulator

/// A transport with one thread of its own; waits end at once. Names are those of one bucket, `b`.
final class ModelServer: HTTPTransport {
  /// What goes wrong with the answers about one object, or with pages of lists.
  struct Fault: Sendable {
    enum Place: Equatable, Sendable {
      case media(String)
      case list
    }

    enum Kind: Equatable, Sendable {
      case status(Int)
      /// No answer at all.
      case silence(TransportFault.Kind)
      /// The head promises everything; half of it comes.
      case cut(TransportFault.Kind)
      /// One bit is another.
      case wrongByte
      /// Half of it, and the length says so.
      case short
      /// A page in HTML, with status 200.
      case login
    }

    var place: Place
    var kind: Kind
    /// Matching requests that go well before.
    var passing = 0
    /// Matching requests that do not; many = all.
    var times = Int.max
  }

  /// Something that happens once so many steps (heads and pieces of bodies) were sent.
  struct Event: Sendable {
    var step: Int
    var action: @Sendable () -> Void
  }

  fileprivate struct State: Sendable {
    var faults: [Fault] = []
    var event: Event?
    var steps = 0
    var hits = 0
    var mediaBytes = 0
  }

  let objects = ObjectStore(root: nil, named: [:])
  private let book = FaultBook()
  private let state = Lock(State())
  private let wake = DispatchSemaphore(value: 0)
  private let isStopped = Lock(false)
  private let inner: ScriptedTransport
  /// Entries of a list page; small, so that a dozen objects make several.
  static let pageSize = 3

  init() {
    objects.makeBucket("b")
    let desk = FrontDesk(
      objects: objects, faults: book, log: RequestLog(limit: 16), configuration: EmulatorConfiguration())
    let state = state
    inner = ScriptedTransport { request, _ in Self.answer(request, desk, state) }
    Thread.detachNewThread { [inner, wake, isStopped] in
      while !isStopped.withLock({ $0 }) {
        inner.drive()
        wake.wait()
      }
    }
  }

  var loopCount: Int { 1 }

  func run(onLoop index: Int, _ work: @escaping @Sendable (any TransferLoop) -> Void) {
    inner.run(onLoop: index, work)
    wake.signal()
  }

  func shutdown() {
    isStopped.withLock { $0 = true }
    wake.signal()
  }

  // MARK: What goes wrong

  /// Begins a run's worth of faults; `script` is the emulator's own language.
  func begin(_ faults: [Fault] = [], script: String = "", event: Event? = nil) throws {
    try book.set(script)
    state.withLock { $0 = State(faults: faults, event: event) }
  }

  /// Bytes of bodies of objects since `begin`.
  var mediaBytes: Int { state.withLock { $0.mediaBytes } }
  /// How often a fault struck since `begin`.
  var hits: Int { state.withLock { $0.hits } }

  /// Changes an object's metadata and nothing else.
  func touch(_ name: String, type: String) {
    let escaped = name.replacingOccurrences(of: "/", with: "%2F")
    let desk = FrontDesk(
      objects: objects, faults: FaultBook(), log: RequestLog(limit: 1), configuration: EmulatorConfiguration())
    _ = desk.respond(
      to: Self.emulated(
        "PATCH", "/storage/v1/b/b/o/\(escaped)", HTTPFields(), Array(#"{"contentType":"\#(type)"}"#.utf8)))
  }

  // MARK: Answers

  private static func emulated(
    _ method: String, _ target: String, _ fields: HTTPFields, _ body: [UInt8]
  ) -> EmulatorRequest {
    EmulatorRequest(
      number: 0, method: method, target: RequestTarget(target), fields: fields, body: body, connection: 1,
      numberOnConnection: 1, time: .now())
  }

  private static func answer(_ request: HTTPRequest, _ desk: FrontDesk, _ state: Lock<State>) -> ScriptedAnswer {
    let query = request.url.query.map { "?" + $0 } ?? ""
    let target = (request.url.path + query).replacingOccurrences(
      of: "maxResults=1000", with: "maxResults=\(pageSize)")
    let incoming = emulated(request.method.rawValue, target, request.fields, request.body)
    let place: Fault.Place? =
      switch Route(incoming.target) {
      case .list: .list
      case .object(_, _, let name, _): .media(name.text)
      default: nil
      }
    let fault = place.flatMap { place in state.withLock { $0.strike(place) } }
    if case .silence(let kind) = fault { return .fault(kind) }
    let delivery = desk.respond(to: incoming).answer
    var head = HTTPResponseHead(status: delivery.status, fields: delivery.fields)
    var body: [UInt8] = []
    for piece in delivery.body { body += piece.content.bytes(at: piece.offset, count: Int(piece.length)) ?? [] }
    let isMedia = target.contains("alt=media") || target.hasPrefix("/download/")
    if isMedia, head.status < 300 { state.withLock { $0.mediaBytes += body.count } }
    var end: TransportFault.Kind?
    apply(fault, &head, &body, &end)
    if head.contentLength == nil { head.contentLength = Int64(body.count) }
    return script(head, request.method == .head ? [] : body, end, state)
  }

  private static func apply(
    _ fault: Fault.Kind?, _ head: inout HTTPResponseHead, _ body: inout [UInt8], _ end: inout TransportFault.Kind?
  ) {
    switch fault {
    case .none, .silence: break
    case .status(let status):
      body = Array("no".utf8)
      head = HTTPResponseHead(status: status)
    case .cut(let kind):
      head.contentLength = Int64(body.count)
      body.removeLast((body.count + 1) / 2)
      end = kind
    case .wrongByte:
      if let last = body.indices.last { body[last] ^= 1 }
    case .short: body.removeLast((body.count + 1) / 2)
    case .login:
      body = Array("<html>please sign in</html>".utf8)
      head = HTTPResponseHead(status: 200, fields: HTTPFields([HTTPFields.Field("Content-Type", "text/html")]))
    }
  }

  /// Bodies come in a few pieces, so that transfers overlap.
  private static func script(
    _ head: HTTPResponseHead, _ body: [UInt8], _ end: TransportFault.Kind?, _ state: Lock<State>
  ) -> ScriptedAnswer {
    var steps: [ScriptedAnswer.Step] = [.call { step(state) }, .head(head)]
    let piece = max(1, body.count / 3)
    var rest = body[...]
    while !rest.isEmpty {
      steps += [.call { step(state) }, .bytes(Array(rest.prefix(piece)))]
      rest = rest.dropFirst(piece)
    }
    steps.append(.call { step(state) })
    if let end { steps.append(.fail(end)) }
    return ScriptedAnswer(steps)
  }

  private static func step(_ state: Lock<State>) {
    let due = state.withLock { state -> Event? in
      state.steps += 1
      guard let event = state.event, state.steps >= event.step else { return nil }
      state.event = nil
      return event
    }
    due?.action()
  }
}

extension ModelServer.State {
  /// The fault that this request meets.
  fileprivate mutating func strike(_ place: ModelServer.Fault.Place) -> ModelServer.Fault.Kind? {
    guard let index = faults.firstIndex(where: { $0.place == place && $0.times > 0 }) else { return nil }
    guard faults[index].passing == 0 else {
      faults[index].passing -= 1
      return nil
    }
    faults[index].times -= 1
    hits += 1
    return faults[index].kind
  }
}
