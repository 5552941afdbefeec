// Connections that break in the middle of a body: in the clear, under TLS without its farewell, and under HTTP/2.

import TestSupport
import Testing

@Suite(.serialized, .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct CutLinkTests {
  struct Link: CustomTestStringConvertible {
    var scheme: NginxServer.Scheme
    var word: String
    var fate: CuttingProxy.Fate

    var testDescription: String { "\(scheme.rawValue) \(word)" }
  }

  static let links: [Link] = [NginxServer.Scheme.http, .https, .https2].flatMap { scheme in
    let fates: [(String, CuttingProxy.Fate)] = [
      ("close", .close(after: 1_200_000)), ("reset", .reset(after: 1_200_000)), ("stall", .stall(after: 1_200_000)),
    ]
    return fates.map { Link(scheme: scheme, word: $0.0, fate: $0.1) }
  }

  @Test("mirror apply: P27 a connection that breaks in the body is continued", arguments: links)
  func continued(_ link: Link) async throws {
    let site = try Site(1, of: 3 << 20, scheme: link.scheme)
    let proxy = try CuttingProxy(to: site.server.port) { $0 == 0 ? link.fate : .whole }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port), defaults: "timeout: {idle: 1s}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    let item = try #require(run.item("f0"))
    #expect(item.attempts.count == 2)
    #expect(item.bytes < 4 << 20, "only what was missing was fetched again: \(item.bytes)")
    // A reset throws away what the kernel holds for a client that has not read yet: it may be all of it.
    let isContinued = try site.server.requests().contains { $0.contains("bytes=") }
    #expect(isContinued || (link.word == "reset" && item.attempts.first?.bytes == 0))
  }

  @Test("mirror apply: a connection that always breaks ends as transient, without a file", arguments: links)
  func givenUp(_ link: Link) async throws {
    let site = try Site(1, of: 3 << 20, scheme: link.scheme)
    // Less than what the head takes, or the first record of TLS: a few bytes of body would count as progress.
    let bytes = link.scheme == .http ? 100 : 4_000
    let early: CuttingProxy.Fate =
      switch link.fate {
      case .close: .close(after: bytes)
      case .reset: .reset(after: bytes)
      default: .stall(after: bytes)
      }
    let proxy = try CuttingProxy(to: site.server.port) { _ in early }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port), defaults: "timeout: {connect: 1s, idle: 1s}", retryFor: "2s")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 4, "\(run.said)")
    #expect(bench.names() == [])
    #expect(run.elapsed < .seconds(15))
  }

  @Test(
    "mirror apply: many items over a link that breaks again and again all arrive",
    arguments: [NginxServer.Scheme.http, .https, .https2])
  func many(_ scheme: NginxServer.Scheme) async throws {
    let site = try Site(60, of: 100_000, scheme: scheme)
    let proxy = try CuttingProxy(to: site.server.port) { number in
      switch number % 4 {
      case 0: .close(after: 150_000 + 1_000 * number)
      case 1: .reset(after: 250_000 + 1_000 * number)
      default: .whole
      }
    }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port), defaults: "timeout: {idle: 2s}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: P27 GOAWAY after every third request costs nothing but connections`() async throws {
    let site = try Site(
      60, of: 100_000, scheme: .https2, snippets: NginxServer.Snippets(server: "keepalive_requests 3;"))
    let bench = try Bench(site.items(), settings: "limits: {jobs: 32}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  /// nginx turns a body that its upstream cuts into RST_STREAM. The upstream sends whole bodies to HTTP/1.1 alone.
  @Test func `mirror apply: P27 after two broken streams a host is spoken to in HTTP/1.1`() async throws {
    let body = [UInt8](repeating: 0x61, count: 400_000)
    let upstream = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      let isWhole = request.field("X-Protocol") == "HTTP/1.1"
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\nConnection: close\r\n\r\n")
      connection.write(isWhole ? body : Array(body.prefix(100_000)))
    }
    defer { upstream.stop() }
    let snippets = NginxServer.Snippets(
      location: "proxy_pass http://127.0.0.1:\(upstream.port); proxy_set_header X-Protocol $server_protocol;")
    let site = try Site(6, of: 1, scheme: .https2, snippets: snippets)
    let bench = try Bench(site.items(), settings: "limits: {jobs: 2}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.names().count == 6)
    #expect(bench.names().allSatisfy { bench.content($0) == body })
    #expect(run.said.contains("HTTP/1.1"), "\(run.said)")
  }

  /// A body that only the end of the connection ends may have been cut by anybody on the way, also under TLS: libcurl 7.88
  /// does not tell a connection that just ends from one that TLS closed (RFC 9112 section 9.8), whatever OpenSSL is told.
  @Test func `mirror apply: P50 a body that only the end of the connection ends is not enough for strict`() async throws
  {
    let upstream = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n")
      connection.write([UInt8](repeating: 0x62, count: 300_000))
    }
    defer { upstream.stop() }
    let snippets = NginxServer.Snippets(
      location: "proxy_pass http://127.0.0.1:\(upstream.port); chunked_transfer_encoding off;")
    let site = try Site(1, of: 1, scheme: .https, snippets: snippets)
    let proxy = try CuttingProxy(to: site.server.port) { _ in .close(after: 200_000) }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port), defaults: "verify: strict")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f0")?.reason == "not_comparable")
    #expect(bench.names() == [])
  }

  @Test("mirror apply: a link of 20 ms each way brings everything", arguments: [NginxServer.Scheme.http, .https2])
  func slow(_ scheme: NginxServer.Scheme) async throws {
    let site = try Site(40, of: 4_096, scheme: scheme)
    let proxy = try CuttingProxy(to: site.server.port) { _ in .delay(.milliseconds(20)) }
    defer { proxy.stop() }
    let bench = try Bench(site.items(by: proxy.port))
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }
}
