// Performs the steps of a `TokenMethod`: sends its requests, waits between tries, reads its files.

import TransferModel

/// One fetch of one token. Lives on a transfer thread; only a command, which may take its time, runs on a thread of its
/// own.
final class TokenErrand: ExchangeHandler {
  typealias Completion = @Sendable (Result<IssuedToken, TransferFailure>) -> Void

  private static let bodyLimit = 64 << 10

  private let services: TokenServices
  private let loop: any TransferLoop
  private let completion: Completion
  private var asking: (request: TokenRequest, then: @Sendable (TokenAnswer) throws(TransferFailure) -> TokenStep)?
  private var attempt = 0
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []

  private init(_ services: TokenServices, _ loop: any TransferLoop, _ completion: @escaping Completion) {
    self.services = services
    self.loop = loop
    self.completion = completion
  }

  /// `completion` is called once, on any thread; never when the transport has been shut down.
  static func run(_ method: any TokenMethod, services: TokenServices, completion: @escaping Completion) {
    services.transport.run(onLoop: 0) { loop in
      let errand = TokenErrand(services, loop, completion)
      for secret in method.secrets { services.registry.add(secret) }
      errand.perform { () throws(TransferFailure) in try method.begin(at: services.clocks.utc()) }
    }
  }

  private func perform(_ makeStep: () throws(TransferFailure) -> TokenStep) {
    do throws(TransferFailure) {
      switch try makeStep() {
      case .done(let token):
        services.registry.add(token)
        completion(.success(token))
      case .ask(let request, let next):
        for secret in request.secrets { services.registry.add(secret) }
        asking = (request, next)
        attempt = 0
        send()
      case .read(.command(let words), let next): runCommand(words, then: next)
      case .read(let source, let next):
        perform { () throws(TransferFailure) in try next(services.read(source)) }
      case .readFile(let path, let next):
        perform { () throws(TransferFailure) in try next(services.reader.readFile(path)) }
      }
    } catch {
      completion(.failure(services.registry.redact(error)))
    }
  }

  private func runCommand(
    _ words: [String], then next: @escaping @Sendable (String) throws(TransferFailure) -> TokenStep
  ) {
    let resumption = ErrandResumption(self, index: loop.index, transport: services.transport)
    SecretCommand.runAside { [services] in
      let result = Result { () throws(TransferFailure) in try services.read(.command(words)) }
      resumption.resume { errand in
        errand.perform { () throws(TransferFailure) in try next(result.get()) }
      }
    }
  }

  private func send() {
    guard let asking else { return }
    attempt += 1
    head = nil
    body = []
    loop.start(asking.request.request, delivering: self)
  }

  func exchangeDidReceive(_ head: HTTPResponseHead, on loop: any TransferLoop) -> BodyVerdict {
    self.head = head
    return .proceed
  }

  func exchangeDidReceive(_ bytes: UnsafeRawBufferPointer, on loop: any TransferLoop) -> BodyVerdict {
    body.append(contentsOf: bytes.prefix(Self.bodyLimit - body.count))
    return body.count < Self.bodyLimit ? .proceed : .stop
  }

  func exchangeDidEnd(_ end: ExchangeEnd, on loop: any TransferLoop) {
    guard let asking else { return }
    var answer = TokenAnswer(head: head, body: body, place: asking.request.place, now: services.clocks.utc())
    switch end.result {
    case .complete: break
    case .aborted: answer.body = []
    case .cancelled:
      completion(.failure(TransferFailure(.cancelled, .cancelled, "\(asking.request.place): cancelled")))
      return
    case .failed(let fault):
      answer.head = nil
      answer.fault = fault
    }
    let patience = asking.request.patience
    if let wait = patience.wait(after: answer, attempt: attempt, random: services.clocks.random()) {
      loop.schedule(after: wait) { [self] in send() }
    } else {
      perform { () throws(TransferFailure) in try asking.then(answer) }
    }
  }
}

/// Brings an errand back to its own thread.
private final class ErrandResumption: Sendable {
  // Touched on the errand's own loop thread only: `resume` goes there through `HTTPTransport.run`.
  private nonisolated(unsafe) let errand: TokenErrand
  private let index: Int
  private let transport: any HTTPTransport

  init(_ errand: TokenErrand, index: Int, transport: any HTTPTransport) {
    self.errand = errand
    self.index = index
    self.transport = transport
  }

  func resume(_ action: @escaping @Sendable (TokenErrand) -> Void) {
    transport.run(onLoop: index) { _ in action(self.errand) }
  }
}
