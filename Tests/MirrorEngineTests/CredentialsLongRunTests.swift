// Ten minutes in virtual time with tokens that live for one.

import FileTransfer
import LocalFiles
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import Credentials

@Suite struct CredentialsLongRunTests {
  /// A server whose tokens are named after the second of their making, and end a minute later.
  private final class Server: Sendable {
    let clocks = ManualClocks()
    let refusals = Lock(0)
    let issued = Lock(0)
    /// What the token service says of a token's life; the truth is a minute.
    let promised: Int

    init(promised: Int) { self.promised = promised }

    private var seconds: Int64 { clocks.utc().seconds - TokenPlay.now.seconds }

    func answer(_ request: HTTPRequest) -> ScriptedAnswer {
      if request.method == .post {
        issued.withLock { $0 += 1 }
        return .status(
          200, body: Array(#"{"access_token": "at-\#(seconds)", "expires_in": \#(promised)}"#.utf8))
      }
      // Each object takes a second, on this clock and on the loop's.
      let made = request.fields["Authorization"].flatMap { Int64($0.dropFirst("Bearer at-".count)) } ?? -1_000
      guard seconds - made < 60 else {
        refusals.withLock { $0 += 1 }
        return .status(401)
      }
      clocks.advance(by: .seconds(1))
      var answer = ScriptedAnswer.status(200, body: Array("content".utf8))
      answer.steps.append(.wait(.seconds(1)))
      return answer
    }
  }

  /// Downloads object after object for ten minutes; gives the server and how many failed.
  private func run(promised: Int) throws -> (server: Server, done: Int, failed: [TransferFailure]) {
    let server = Server(promised: promised)
    let transport = ScriptedTransport { request, _ in server.answer(request) }
    let services = TokenServices(
      transport: transport, clocks: server.clocks, reader: .fake(), registry: SecretRegistry())
    let cell = TokenCell(
      try CredentialsGoogleTests.parse(CredentialsGoogleTests.user).method, skew: .seconds(225), services: services)
    let transfers = TransferServices(
      transport: transport, clocks: server.clocks,
      authorizer: CredentialAuthorizer([
        CredentialBinding(.google, fields: [.init("Authorization", prefix: "Bearer ", cell)])
      ]), redact: { $0 })
    let url = try HTTPURL(parsing: "https://storage.googleapis.com/b/o")
    let ended = Lock<(done: Int, failed: [TransferFailure])>((0, []))
    @Sendable func next(_ number: Int) {
      guard number < 600 else { return }
      transport.run(onLoop: 0) { loop in
        let spec = DownloadSpec(endpoints: [WebEndpoint(url)], owner: SmallOwner())
        ObjectDownload(Shared(spec), services: transfers, loop: loop) { result in
          ended.withLock { ended in
            if case .failed(let failure) = result.ending { ended.failed.append(failure) } else { ended.done += 1 }
          }
          next(number + 1)
        }.start()
      }
    }
    next(0)
    transport.drive()
    let (done, failed) = ended.withLock { $0 }
    return (server, done, failed)
  }

  @Test func `tokens are renewed before they end, so that none is refused in ten minutes`() throws {
    let (server, done, failed) = try run(promised: 60)
    #expect(done == 600 && failed.isEmpty)
    #expect(server.refusals.withLock { $0 } == 0)
    // A quarter of the minute is kept back: a new one each 45 seconds.
    #expect(server.issued.withLock { $0 } == 14)
  }

  @Test func `P32 tokens that end earlier than was promised are renewed when they are refused`() throws {
    let (server, done, failed) = try run(promised: 3_600)
    #expect(done == 600 && failed.isEmpty)
    #expect(server.refusals.withLock { $0 } == 9)
    #expect(server.issued.withLock { $0 } == 10)
  }
}

/// Wants 100 bytes at most.
private final class SmallOwner: DownloadOwner {
  func openSink(_ algorithms: DigestAlgorithms, _: ObjectVersion) throws(TransferFailure) -> any ByteSink {
    MemorySink(maxSize: 100, digest: try StreamingDigest(algorithms))
  }
}
