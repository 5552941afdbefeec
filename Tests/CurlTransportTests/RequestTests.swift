import CurlTransport
import TestSupport
import Testing
import TransferModel

/// What goes over the wire for a request.
@Suite struct RequestTests {
  /// Serves an empty answer to everything and writes down the requests.
  private func recording(
    _ requests: Collected<RawServerRequest>, _ body: (CurlTransport, RawServer) async throws -> Void
  ) async throws {
    try await withServer(
      serving: { connection in
        while let request = connection.readRequest() {
          requests.append(request)
          connection.write(ok(""))
        }
      }, body)
  }

  @Test(arguments: [
    "/", "/a/../b", "/./a/.", "//double//slash/", "/%2F%2e%2E/%", "/a%20b", "/x?y=/../z&a=%2f", "/q?", "/a?b?c",
    "/a;b=c,d", "/[x]{y}|\\^`\"<>",
  ])
  func `a target is sent as it was written`(_ target: String) async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url(target)))
      #expect(seen.outcome == "complete")
      #expect(requests.all.map(\.target) == [target])
    }
  }

  @Test func `letters outside ASCII are percent-encoded in the path, by libcurl`() async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      _ = await transport.observe(HTTPRequest(.get, server.url("/\u{E4}")))
      #expect(requests.all.first?.target.lowercased() == "/%c3%a4")
    }
  }

  @Test func `a plain request has four lines and nothing else`() async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      _ = await transport.observe(HTTPRequest(.get, server.url("/x")))
      #expect(
        requests.all.first?.lines == [
          "GET /x HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Accept: */*", "User-Agent: mirror/test",
        ])
    }
  }

  @Test func `fields are sent in order, an empty one too`() async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let fields = HTTPFields([.init("Range", "bytes=5-"), .init("X-Empty", ""), .init("Accept", "a/b")])
      _ = await transport.observe(HTTPRequest(.get, server.url("/"), fields: fields))
      #expect(requests.all.first?.lines.dropFirst(3) == ["Range: bytes=5-", "X-Empty:", "Accept: a/b"])
    }
  }

  @Test func `nothing of a request stays for the next one on the same handle`() async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let json = HTTPFields([.init("Content-Type", "application/json"), .init("Authorization", "Bearer s3cret")])
      let plain = HTTPRequest(.get, server.url("/x"))
      for request in [
        plain, HTTPRequest(.patch, server.url("/x"), fields: json, body: Array("{}".utf8)), plain,
        HTTPRequest(.head, server.url("/x")), plain, HTTPRequest(.delete, server.url("/x"), fields: json), plain,
        HTTPRequest(.get, server.url("/x", userInfo: "user:pass")), plain, HTTPRequest(.put, server.url("/x")), plain,
      ] {
        #expect(await transport.observe(request).outcome == "complete")
      }
      let seen = requests.all
      #expect(
        seen.map(\.method) == [
          "GET", "PATCH", "GET", "HEAD", "GET", "DELETE", "GET", "GET", "GET", "PUT", "GET",
        ])
      for index in stride(from: 0, to: seen.count, by: 2) { #expect(seen[index].lines == seen[0].lines) }
      #expect(seen[7].field("Authorization") == "Basic dXNlcjpwYXNz")
      #expect(transport.statistics.connectionsOpened == 1)
    }
  }

  @Test func `a handle goes from site to site, with what belongs to each`() async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let numbered = HTTPURL(origin: Origin(scheme: .http, host: "127.0.0.1", port: server.port), path: "/1?a=b")
      let named = HTTPURL(origin: Origin(scheme: .http, host: "localhost", port: server.port), path: "/2")
      let walk = [
        numbered, named, named, server.url("/\u{E4}"), numbered, server.url("/3", userInfo: "user:pass"),
        server.url("/4", userInfo: "user:pasS"), named, numbered,
      ]
      for url in walk { #expect(await transport.observe(HTTPRequest(.get, url)).outcome == "complete") }
      let seen = requests.all
      #expect(
        seen.map { $0.target.lowercased() } == [
          "/1?a=b", "/2", "/2", "/%c3%a4", "/1?a=b", "/3", "/4", "/2", "/1?a=b",
        ])
      let hosts = walk.map { "\($0.origin.host):\(server.port)" }
      #expect(seen.map { $0.field("Host") ?? "none" } == hosts)
      #expect(
        seen.map { $0.field("Authorization") ?? "" } == [
          "", "", "", "", "", "Basic dXNlcjpwYXNz", "Basic dXNlcjpwYXNT", "", "",
        ])
    }
  }

  @Test func `a proxy for plain http is told the whole URL, and a host without it the path`() async throws {
    let requests = Collected<RawServerRequest>()
    let proxy = try RawServer { connection in
      while let request = connection.readRequest() {
        requests.append(request)
        connection.write(ok(""))
      }
    }
    defer { proxy.stop() }
    let behind = Origin(scheme: .http, host: "behind.invalid")
    let via = CurlTransport.HostConnection(proxy: .via("http://127.0.0.1:\(proxy.port)"))
    try await withServer(
      hosts: [behind: via],
      serving: { connection in
        while let request = connection.readRequest() {
          requests.append(request)
          connection.write(ok(""))
        }
      }
    ) { transport, server in
      for url in [HTTPURL(origin: behind, path: "/a/../b", query: "c"), server.url("/a/../b?c")] {
        #expect(await transport.observe(HTTPRequest(.get, url)).outcome == "complete")
      }
      #expect(requests.all.map(\.target) == ["http://behind.invalid/a/../b?c", "/a/../b?c"])
    }
  }

  @Test(arguments: [HTTPRequest.Method.post, .patch, .put], [0, 5, 2 << 20])
  func `a body is sent whole, without a wait and without a type of its own`(
    _ method: HTTPRequest.Method, _ count: Int
  ) async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let seen = await transport.observe(HTTPRequest(method, server.url("/x"), body: body))
      #expect(seen.outcome == "complete")
      let request = try #require(requests.all.first)
      #expect(request.method == method.rawValue)
      #expect(request.body == body)
      #expect(request.field("Content-Length") == "\(count)")
      #expect(request.field("Expect") == nil)
      #expect(request.field("Content-Type") == nil)
    }
  }

  @Test(arguments: [
    ("X-A", "1\r\nX-B: 2"), ("X-A", "1\nX-B: 2"), ("X-A", "1\rX-B: 2"), ("X-A", "1\0"), ("X-A\r\nX-B", "1"),
    ("X A", "1"), ("", "1"), ("X-A:", "1"), ("X-A", "\u{7F}"),
  ])
  func `a field that could break the head is refused, not sent`(_ name: String, _ value: String) async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      let request = HTTPRequest(.get, server.url("/"), fields: HTTPFields([.init(name, value)]))
      let seen = await transport.observe(request)
      #expect(seen.outcome == "other")
      #expect(seen.events == ["end"])
      #expect(server.connectionCount == 0)
    }
  }

  @Test(arguments: ["/a b", "/a\r\nX-B: 2", "/a\0b", "/a\tb"])
  func `a target that could break the request line is refused, not sent`(_ target: String) async throws {
    let requests = Collected<RawServerRequest>()
    try await recording(requests) { transport, server in
      #expect(await transport.observe(HTTPRequest(.get, server.url(target))).outcome == "other")
      #expect(server.connectionCount == 0)
    }
  }
}
