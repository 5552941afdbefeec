// One credential of a run, shared by all its workers: the shell round `TokenMachine`.

package import TransferModel

/// What obtaining tokens needs of the world.
package struct TokenServices: Sendable {
  package let transport: any HTTPTransport
  package let clocks: any Clocks
  package let reader: SecretReader
  package let registry: SecretRegistry

  package init(
    transport: any HTTPTransport, clocks: any Clocks, reader: SecretReader, registry: SecretRegistry
  ) {
    self.transport = transport
    self.clocks = clocks
    self.reader = reader
    self.registry = registry
  }
}

/// A credential that is fetched when it is first needed, renewed before it expires, and fetched once however many ask.
/// Any thread.
package final class TokenCell: Sendable {
  package typealias Waiter = @Sendable (TransferFailure?) -> Void

  private struct State {
    var machine: TokenMachine<Waiter>
    var method: any TokenMethod
  }

  private let state: Lock<State>
  private let services: TokenServices
  private let label: String

  /// - Parameter skew: how long before its end a token is renewed.
  package init(_ method: any TokenMethod, skew: Duration, services: TokenServices) {
    state = Lock(State(machine: TokenMachine(skew: skew), method: method))
    self.services = services
    label = method.label
    for secret in method.secrets { services.registry.add(secret) }
  }

  /// Runs a method that asks nobody to its end, now, on this thread, so that a missing secret is known before anything is
  /// asked. One that must ask is left for later.
  package func prime() throws(TransferFailure) {
    var step = try method.begin(at: services.clocks.utc())
    while true {
      switch step {
      case .ask: return
      case .read(let source, let next): step = try next(services.read(source))
      case .readFile(let path, let next): step = try next(services.reader.readFile(path))
      case .done(let token):
        try Self.check(token, label)
        services.registry.add(token)
        let now = services.clocks.monotonic()
        state.withLock { state in
          state.machine.prime(token, now: now)
          if let successor = token.successor { state.method = successor }
        }
        return
      }
    }
  }

  /// What stands behind the prefix now; nil = renew first.
  package var current: String? {
    let now = services.clocks.monotonic()
    return state.withLock { $0.machine.current(now: now) }
  }

  /// Fetches, or waits for who fetches. `waiter` is called once, on any thread, perhaps before this returns.
  package func renew(refused: String?, _ waiter: @escaping Waiter) {
    let now = services.clocks.monotonic()
    let action = state.withLock { $0.machine.renew(refused: refused, now: now, stands: refusal(of:), waiter) }
    switch action {
    case .wait: break
    case .answer(let failure): waiter(failure)
    case .fetch: fetch()
    }
  }

  private var method: any TokenMethod { state.withLock { $0.method } }

  private func fetch() {
    TokenErrand.run(method, services: services) { [self] result in
      var result = result
      if case .success(let token) = result {
        do throws(TransferFailure) { try Self.check(token, label) } catch { result = .failure(error) }
      }
      let now = services.clocks.monotonic()
      let (waiters, failure) = state.withLock { state in
        if case .success(let token) = result, let successor = token.successor { state.method = successor }
        return state.machine.fetched(result, now: now, stands: refusal(of:))
      }
      for waiter in waiters { waiter(failure) }
    }
  }

  private static func check(_ token: IssuedToken, _ label: String) throws(TransferFailure) {
    guard let lifetime = token.lifetime, lifetime <= .zero else { return }
    throw TokenAnswer.refusal(
      "\(label) is expired already", hint: "Give a new one, and check that this machine's clock is right.")
  }

  private func refusal(of value: String) -> TransferFailure {
    var message = "the server refuses \(label), and a renewed one does not change that"
    if let left = JSONWebToken.lifetime(of: value, at: services.clocks.utc()), left <= .zero {
      message += "; it says that it ended \(Int(-left.inSeconds)) s ago, by this machine's clock"
    }
    return TransferFailure(
      .unauthenticated, .unauthenticated, message,
      hint: "Check that the credential under `auth:` is meant for this host and still valid.", httpStatus: 401)
  }
}

extension TokenServices {
  /// Reads a secret and remembers it as one.
  func read(_ source: SecretSource) throws(TransferFailure) -> String {
    let secret = try reader.read(source)
    registry.add(secret)
    return secret
  }
}

extension SecretRegistry {
  /// Everything secret about a token.
  func add(_ token: IssuedToken) {
    for secret in [token.value] + token.secrets + (token.successor?.secrets ?? []) { add(secret) }
  }
}
