// When a token serves and when it is renewed: events in, actions out; and the shell over a scripted transport.

import Testing
import TestSupport
import TransferModel

@testable import Credentials

@Suite struct CredentialsMachineTests {
  typealias Machine = TokenMachine<Int>

  static let standing = TransferFailure(.unauthenticated, .unauthenticated, "refused")
  static let passing = TransferFailure(.serverError, .transient, "503")

  static func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(sinceOrigin: .seconds(seconds)) }

  /// A machine that holds a token of an hour since second 0.
  static func holding(_ value: String = "a", skew: Duration = .seconds(225), lifetime: Duration? = .seconds(3_600))
    -> Machine
  {
    var machine = Machine(skew: skew)
    machine.prime(IssuedToken(value: value, lifetime: lifetime), now: at(0))
    return machine
  }

  @Test(arguments: [(225, 226, Duration.seconds(225)), (300, 301, .seconds(300))])
  func `S11 T05 a token is renewed when its skew is left`(renewed: Int64, kept: Int64, skew: Duration) {
    let machine = Self.holding(skew: skew)
    #expect(machine.current(now: Self.at(3_600 - renewed)) == nil)
    #expect(machine.current(now: Self.at(3_600 - kept)) == "a")
  }

  @Test func `a token of short life is not renewed all the time`() {
    let machine = Self.holding(lifetime: .seconds(60))
    #expect(machine.current(now: Self.at(44)) == "a")
    #expect(machine.current(now: Self.at(45)) == nil)
  }

  @Test func `a token without an end is kept until it is refused`() {
    var machine = Self.holding(lifetime: nil)
    #expect(machine.current(now: Self.at(1_000_000)) == "a")
    #expect(machine.action(refused: "a", at: 1_000_000) == .fetch)
  }

  @Test func `P34 however many are refused, one fetches and the others wait`() {
    var machine = Self.holding()
    #expect(machine.action(refused: "a", at: 1) == .fetch)
    for _ in 0..<63 { #expect(machine.action(refused: "a", at: 1) == .wait) }
    let ended = machine.fetched(.success(IssuedToken(value: "b")), now: Self.at(2), stands: { _ in Self.standing })
    #expect(ended.waiters.count == 64)
    #expect(ended.failure == nil)
    // One who was refused with the old token meanwhile goes on with the new one.
    #expect(machine.action(refused: "a", at: 2) == .go)
  }

  @Test func `I17 a token that replaced a refused one and is refused in turn ends it, for all and at once`() {
    var machine = Self.holding()
    #expect(machine.action(refused: "a", at: 1) == .fetch)
    _ = machine.fetched(.success(IssuedToken(value: "b")), now: Self.at(2), stands: { _ in Self.standing })
    #expect(machine.action(refused: "b", at: 3) == .fail)
    #expect(machine.current(now: Self.at(3)) == nil)
    #expect(machine.action(refused: nil, at: 4) == .fail)
  }

  @Test func `a token that served for a while may be refused and replaced again`() {
    var machine = Self.holding()
    #expect(machine.action(refused: "a", at: 1) == .fetch)
    _ = machine.fetched(.success(IssuedToken(value: "b")), now: Self.at(2), stands: { _ in Self.standing })
    #expect(machine.action(refused: "b", at: 600) == .fetch)
  }

  @Test func `the same token again is no renewal`() {
    var machine = Self.holding()
    #expect(machine.action(refused: "a", at: 1) == .fetch)
    let ended = machine.fetched(.success(IssuedToken(value: "a")), now: Self.at(2), stands: { _ in Self.standing })
    #expect(ended.failure == Self.standing)
    #expect(machine.action(refused: nil, at: 3) == .fail)
  }

  @Test func `while the token service is away, a token that is old but good is used`() {
    var machine = Self.holding()
    #expect(machine.action(refused: nil, at: 3_500) == .fetch)
    let ended = machine.fetched(.failure(Self.passing), now: Self.at(3_505), stands: { _ in Self.standing })
    #expect(ended.failure == nil)
    #expect(machine.current(now: Self.at(3_534)) == "a")
    #expect(machine.current(now: Self.at(3_535)) == nil)
  }

  @Test func `a failure that may pass is answered for five seconds, then there is a new try`() {
    var machine = Machine(skew: .zero)
    #expect(machine.action(refused: nil, at: 0) == .fetch)
    #expect(
      machine.fetched(.failure(Self.passing), now: Self.at(1), stands: { _ in Self.standing }).failure == Self.passing)
    #expect(machine.action(refused: nil, at: 5) == .fail)
    #expect(machine.action(refused: nil, at: 6) == .fetch)
  }

  @Test func `a failure for good stands`() {
    var machine = Machine(skew: .zero)
    #expect(machine.action(refused: nil, at: 0) == .fetch)
    _ = machine.fetched(.failure(Self.standing), now: Self.at(1), stands: { _ in Self.standing })
    #expect(machine.action(refused: nil, at: 10_000) == .fail)
  }

  // MARK: Patience

  static func answer(_ status: Int, _ body: String = "") -> TokenAnswer {
    TokenAnswer(head: HTTPResponseHead(status: status), body: Array(body.utf8), place: "x", now: TokenPlay.now)
  }

  @Test(arguments: [
    (408, "", true), (429, "", true), (500, "", true), (503, "", true), (504, "", true), (502, "", false),
    (400, #"{"error": "server_error"}"#, true), (400, #"{"error": "internal_failure"}"#, true),
    (400, #"{"error": "x", "error_description": "temporarily_unavailable"}"#, true),
    (400, #"{"error": "invalid_grant"}"#, false), (401, "", false), (200, #"{"error": "server_error"}"#, false),
  ])
  func `which answers of a token service are tried again`(status: Int, body: String, isTried: Bool) {
    let wait = TokenPatience.tokenService.wait(after: Self.answer(status, body), attempt: 1, random: 0.5)
    #expect((wait != nil) == isTried)
  }

  @Test func `the waits double from a second and vary by a tenth; there are three tries`() {
    let patience = TokenPatience.tokenService
    #expect(patience.wait(after: Self.answer(503), attempt: 1, random: 0) == .milliseconds(900))
    #expect(patience.wait(after: Self.answer(503), attempt: 2, random: 0.5) == .seconds(2))
    #expect(patience.wait(after: Self.answer(503), attempt: 3, random: 0.5) == nil)
  }

  // MARK: The shell

  static func ask(
    _ answers: [ScriptedAnswer], times: Int = 1
  ) throws -> (failures: [TransferFailure?], requests: Int, elapsed: Duration, cell: TokenCell) {
    let transport = ScriptedTransport(answers)
    let services = TokenServices(
      transport: transport, clocks: ManualClocks(scripted: [0.5, 0.5, 0.5]), reader: .fake(),
      registry: SecretRegistry())
    let method = try CredentialsGoogleTests.parse(CredentialsGoogleTests.user).method
    let cell = TokenCell(method, skew: .seconds(225), services: services)
    let failures = Lock<[TransferFailure?]>([])
    for _ in 0..<times { cell.renew(refused: nil) { failure in failures.withLock { $0.append(failure) } } }
    let elapsed = transport.drive()
    return (failures.withLock { $0 }, transport.requests.count, elapsed, cell)
  }

  static func scripted(_ status: Int, _ body: String) -> ScriptedAnswer { .status(status, body: Array(body.utf8)) }
  static let good = scripted(200, CredentialsGoogleTests.tokenAnswer)

  @Test func `S09 a token service that is away is tried three times`() throws {
    let (failures, requests, elapsed, cell) = try Self.ask([.status(503), .status(503), Self.good])
    #expect(failures == [nil])
    #expect(requests == 3)
    #expect(elapsed == .seconds(3))
    #expect(cell.current == "ya29.new")
  }

  @Test func `S10 an error that says that it passes is tried again`() throws {
    let (failures, requests, _, _) = try Self.ask([Self.scripted(400, #"{"error": "server_error"}"#), Self.good])
    #expect(failures == [nil])
    #expect(requests == 2)
  }

  @Test func `S08 an error for good is not tried again`() throws {
    let (failures, requests, _, cell) = try Self.ask([Self.scripted(400, #"{"error": "invalid_grant"}"#)])
    #expect(failures.first??.failureClass == .unauthenticated)
    #expect(requests == 1)
    #expect(cell.current == nil)
  }

  @Test func `S12 fifty that need a token at once cause one request`() throws {
    let (failures, requests, _, _) = try Self.ask([Self.good], times: 50)
    #expect(failures == Array(repeating: nil, count: 50))
    #expect(requests == 1)
  }

  @Test func `a token service that cannot be reached is a failure that may pass`() throws {
    let (failures, requests, _, _) = try Self.ask([.fault(.connectionRefused)])
    #expect(requests == 3)
    #expect(failures.first??.failureClass == .transient)
  }
}

/// An action without its failure, for comparing.
private enum Told { case go, fail, wait, fetch }

extension TokenMachine<Int> {
  fileprivate mutating func action(refused: String?, at seconds: Int64) -> Told {
    let action = renew(
      refused: refused, now: CredentialsMachineTests.at(seconds), stands: { _ in CredentialsMachineTests.standing }, 0)
    return switch action {
    case .answer(nil): .go
    case .answer: .fail
    case .wait: .wait
    case .fetch: .fetch
    }
  }
}
