import CurlTransport
import Glibc
import TestSupport
import Testing
import TransferModel

/// How many connections a host gets when nobody said.
@Suite(.serialized) struct PaceTests {
  /// Counts the requests that a server has at the same time.
  private final class Crowd: Sendable {
    private let numbers = Lock((now: 0, most: 0, all: 0))
    func enter() -> Int {
      numbers.withLock {
        $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1)
        return $0.all
      }
    }
    func leave() { numbers.withLock { $0.now -= 1 } }
    func forget() { numbers.withLock { $0.most = 0 } }
    var most: Int { numbers.withLock { $0.most } }
  }

  /// A server that takes its time, and says 429 to its first requests.
  private static func server(
    _ crowd: Crowd, milliseconds: UInt32, refusing refused: Int = 0
  ) throws -> RawServer {
    try RawServer { connection in
      while connection.readRequest() != nil {
        let number = crowd.enter()
        usleep(milliseconds * 1_000)
        if number == refused { crowd.forget() }
        crowd.leave()
        connection.write(
          number <= refused ? "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n" : ok("x"))
      }
    }
  }

  private static func fetch(_ count: Int, from servers: [RawServer], by transport: CurlTransport) async -> Int {
    await withTaskGroup { group in
      for number in 0..<count {
        let request = HTTPRequest(.get, servers[number % servers.count].url("/\(number)"))
        group.addTask { await transport.observe(request).outcome == "complete" ? 1 : 0 }
      }
      return await group.reduce(0, +)
    }
  }

  private static func transport(perHost: Int, most: Int?) throws -> CurlTransport {
    try CurlTransport(
      CurlTransport.Configuration(
        userAgent: "mirror/test", loopCount: 1, slotsPerLoop: 64, connectionsPerHost: perHost,
        mostConnectionsPerHost: most))
  }

  @Test(
    arguments: [
      (most: nil, count: 100, expected: 4...4), (most: 4, count: 100, expected: 4...4),
      (most: 16, count: 400, expected: 5...16),
    ] as [(most: Int?, count: Int, expected: ClosedRange<Int>)])
  func `a far host is given more connections, up to the most`(
    most: Int?, count: Int, expected: ClosedRange<Int>
  ) async throws {
    let crowd = Crowd()
    let server = try Self.server(crowd, milliseconds: 20)
    defer { server.stop() }
    let transport = try Self.transport(perHost: 4, most: most)
    defer { transport.shutdown() }
    #expect(await Self.fetch(count, from: [server], by: transport) == count)
    #expect(expected.contains(crowd.most), "\(crowd.most)")
    #expect(server.connectionCount <= expected.upperBound)
  }

  /// - Parameter inWords: what the head does not say, whoever reads the body tells the loop.
  @Test(arguments: [false, true])
  func `429 halves what its host is given, and no other's; so does being told`(inWords: Bool) async throws {
    let (strained, calm) = (Crowd(), Crowd())
    let servers = [
      try Self.server(strained, milliseconds: 5, refusing: inWords ? 0 : 16), try Self.server(calm, milliseconds: 5),
    ]
    defer { for server in servers { server.stop() } }
    let transport = try Self.transport(perHost: 16, most: 16)
    defer { transport.shutdown() }
    #expect(await Self.fetch(200, from: servers, by: transport) == 200)
    if inWords { transport.run(onLoop: 0) { [origin = servers[0].url().origin] in $0.noteOverload(of: origin) } }
    // Those that were under way when the first 429 came may still be seen.
    #expect(await Self.fetch(100, from: servers, by: transport) == 100)
    strained.forget()
    calm.forget()
    #expect(await Self.fetch(100, from: servers, by: transport) == 100)
    #expect(strained.most < 16 && strained.most >= 1, "\(strained.most)")
    #expect(calm.most == 16)
  }
}
