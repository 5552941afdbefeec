import CurlTransport
import Glibc
import TestSupport
import Testing
import TransferModel

/// How connections are made, shared, counted and lost.
@Suite struct ConnectionTests {
  @Test func `a hundred requests in a row use one connection`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      for number in 0..<100 {
        let seen = await transport.observe(HTTPRequest(.get, server.url("/\(number)")))
        #expect(seen.outcome == "complete")
        #expect(seen.end?.connectionWasReused == (number > 0))
      }
      #expect(server.connectionCount == 1)
      #expect(transport.statistics.connectionsOpened == 1)
      #expect(transport.statistics.requestsSent == 100)
      #expect(transport.statistics.exchangesEnded == 100)
    }
  }

  @Test func `small and big bodies share a connection`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      for size in [100, nil, 1 << 30, 0] as [Int64?] {
        let request = HTTPRequest(.get, server.url("/"), expectedBytes: size)
        #expect(await transport.observe(request).outcome == "complete")
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `no more connections to a host are open than allowed`() async throws {
    let open = Lock((now: 0, most: 0))
    try await withServer(
      perHost: 3,
      serving: { connection in
        while connection.readRequest() != nil {
          open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          usleep(2_000)
          open.withLock { $0.now -= 1 }
          connection.write(ok("x"))
        }
      }
    ) { transport, server in
      let outcomes = await withTaskGroup { group in
        for number in 0..<30 {
          group.addTask { await transport.observe(HTTPRequest(.get, server.url("/\(number)"))).outcome }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes == Array(repeating: "complete", count: 30))
      #expect(server.connectionCount <= 3)
      #expect(open.withLock { $0.most } == 3)
    }
  }

  @Test func `waiting for a place costs a request neither its connect nor its idle time`() async throws {
    let timeouts = TransferTimeouts(connect: .milliseconds(300), idle: .seconds(1), minimumRate: 0)
    try await withServer(
      perHost: 1,
      serving: { connection in
        // Each answer takes long and ends its connection, so that the next request needs a new one.
        guard connection.readRequest() != nil else { return }
        usleep(250_000)
        connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
      }
    ) { transport, server in
      let outcomes = await withTaskGroup { group in
        for number in 0..<6 {
          let request = HTTPRequest(.get, server.url("/\(number)"), timeouts: timeouts)
          group.addTask { await transport.observe(request).outcome }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes == Array(repeating: "complete", count: 6))
    }
  }

  @Test func `a connection that the server closed between requests costs nothing`() async throws {
    let closed = Gate()
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(ok("x"))
      connection.close()
      closed.open()
    }) { transport, server in
      for number in 0..<3 {
        let seen = await transport.observe(HTTPRequest(.get, server.url("/\(number)")))
        closed.wait()
        #expect(seen.outcome == "complete")
        #expect(seen.end?.connectionWasReused == false)
      }
      #expect(server.connectionCount == 3)
    }
  }

  @Test func `a reused connection that dies under the request is replaced by libcurl itself`() async throws {
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(ok("x"))
      // The second request on this connection is read, and the connection closed without an answer.
      _ = connection.readRequest()
    }) { transport, server in
      _ = await transport.observe(HTTPRequest(.get, server.url("/first")))
      let seen = await transport.observe(HTTPRequest(.get, server.url("/second")))
      #expect(seen.outcome == "complete")
      #expect(seen.events == ["head", "bytes", "end"])
      #expect(server.connectionCount == 2)
    }
  }

  @Test func `refused, and the detail names the host`() async throws {
    let server = try RawServer { _ in }
    let url = server.url("/secret-path?token=s3cret")
    server.stop()
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror/test", loopCount: 1))
    defer { transport.shutdown() }
    let seen = await transport.observe(HTTPRequest(.get, url))
    #expect(seen.outcome == "connectionRefused")
    guard case .failed(let fault) = seen.end?.result else { return }
    #expect(fault.detail.contains("127.0.0.1"))
    #expect(!fault.detail.contains("s3cret"))
  }

  @Test func `a name that cannot exist is not found`() async throws {
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror/test", loopCount: 1))
    defer { transport.shutdown() }
    // A label of more than 63 letters is refused by the resolver itself; no name server is asked.
    let host = String(repeating: "a", count: 70) + ".test"
    let url = HTTPURL(origin: Origin(scheme: .http, host: host), path: "/")
    let outcomes = await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await transport.observe(HTTPRequest(.get, url)).outcome } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == Array(repeating: "nameNotFound", count: 20))
  }

  @Test func `silence for the idle time is a stall`() async throws {
    let timeouts = TransferTimeouts(connect: .seconds(5), idle: .seconds(1), minimumRate: 0)
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      connection.waitForClose()
    }) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url("/"), timeouts: timeouts))
      #expect(seen.outcome == "stalled")
    }
  }

  @Test func `a handshake that is not answered is a connect timeout`() async throws {
    let timeouts = TransferTimeouts(connect: .milliseconds(200), idle: .seconds(5))
    try await withServer(serving: { $0.waitForClose() }) { transport, server in
      let url = HTTPURL(origin: Origin(scheme: .https, host: "127.0.0.1", port: server.port), path: "/")
      #expect(await transport.observe(HTTPRequest(.get, url, timeouts: timeouts)).outcome == "connectTimeout")
    }
  }

  @Test func `a server that speaks no TLS fails the handshake`() async throws {
    try await withServer(serving: { $0.write("HTTP/1.1 400 Bad Request\r\n\r\n") }) { transport, server in
      let url = HTTPURL(origin: Origin(scheme: .https, host: "127.0.0.1", port: server.port), path: "/")
      #expect(await transport.observe(HTTPRequest(.get, url)).outcome == "tlsHandshake")
    }
  }

  @Test func `two thousand requests on two loops are each answered once`() async throws {
    let ends = Collected<String>()
    try await withServer(
      loops: 2, perHost: 4,
      serving: { connection in
        while let request = connection.readRequest() { connection.write(ok(request.target)) }
      }
    ) { transport, server in
      await withCheckedContinuation { continuation in
        let left = Lock(2_000)
        for loop in 0..<2 {
          transport.run(onLoop: loop) { transferLoop in
            for number in stride(from: loop, to: 2_000, by: 2) {
              let recorder = Recorder { seen in
                ends.append(seen.outcome + seen.text)
                let isLast = left.withLock { left in
                  left -= 1
                  return left == 0
                }
                if isLast { continuation.resume() }
              }
              transferLoop.start(
                HTTPRequest(.get, server.url("/\(number)"), expectedBytes: 16), delivering: recorder)
            }
          }
        }
      }
      #expect(ends.all.sorted() == (0..<2_000).map { "complete/\($0)" }.sorted())
      #expect(server.connectionCount <= 8)
    }
  }
}
