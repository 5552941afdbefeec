// Redirects of all kinds, over the wire: which are followed, which end the item, and what of them is asked for.

import TestSupport
import Testing
import TransferModel

@Suite(.serialized) struct RedirectKindTests {
  /// A server that sends `/start` elsewhere, and has `there` at every other path but those that begin with `/loop`.
  private static func server(_ status: Int, _ fields: @escaping @Sendable (UInt16) -> String) throws -> RawServer {
    let port = Lock<UInt16>(0)
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let target = request.target
        if target.hasPrefix("/start") || target.hasPrefix("/loop") {
          connection.write(
            "HTTP/1.1 \(status) Elsewhere\r\n\(fields(port.withLock { $0 }))Content-Length: 5\r\n\r\nlost!")
        } else {
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere")
        }
      }
    }
    port.withLock { $0 = server.port }
    return server
  }

  private func apply(_ server: RawServer) async throws -> (Applied, Bench) {
    let bench = try Bench(
      [Bench.Item(url: "http://127.0.0.1:\(server.port)/start/here", to: "f")], retryFor: "1s")
    return (try await bench.apply(), bench)
  }

  static let places = [
    "/elsewhere", "elsewhere", "../elsewhere", "//127.0.0.1:{port}/x", "http://127.0.0.1:{port}/x", "/x#fragment",
    "?query",
    "http://localhost:{port}/other-origin",
  ]

  @Test(
    "mirror apply: P37 redirects are followed, wherever they lead over http", arguments: [301, 302, 303, 307, 308],
    places.filter { $0 != "?query" })
  func followed(_ status: Int, _ place: String) async throws {
    let server = try Self.server(status) { "Location: \(place.replacing("{port}", with: "\($0)"))\r\n" }
    defer { server.stop() }
    // A relative place stands below `/start/`, which this server sends on again.
    let isRelative = place.hasPrefix("else")
    let (run, bench) = try await apply(server)
    #expect(run.status == (isRelative ? 3 : 0), "\(run.said)")
    #expect(bench.content("f") == (isRelative ? nil : Array("there".utf8)))
    if isRelative { #expect(run.item("f")?.reason == "too_many_redirects") }
  }

  struct Refusal: CustomTestStringConvertible {
    var status: Int
    var fields: String
    var reason: String
    var testDescription: String { "\(status) \(fields.debugDescription)" }
  }

  static let refusals: [Refusal] =
    [301, 302, 303, 307, 308].flatMap { status in
      [
        Refusal(status: status, fields: "", reason: "unexpected_status"),
        Refusal(status: status, fields: "Location:\r\n", reason: "unexpected_status"),
        Refusal(status: status, fields: "Location: ftp://127.0.0.1/x\r\n", reason: "redirect_refused"),
        Refusal(status: status, fields: "Location: file:///etc/passwd\r\n", reason: "redirect_refused"),
        Refusal(status: status, fields: "Location: http://127.0.0.1:99999/x\r\n", reason: "redirect_refused"),
        Refusal(status: status, fields: "Location: /start/here\r\n", reason: "too_many_redirects"),
        Refusal(status: status, fields: "Location: ?query\r\n", reason: "too_many_redirects"),
        Refusal(status: status, fields: "Location: a b\r\n", reason: "redirect_refused"),
      ]
    }
    + [300, 304, 305, 306].map {
      Refusal(status: $0, fields: "Location: /elsewhere\r\n", reason: "unexpected_status")
    }

  @Test("mirror apply: P37 P87 what is no redirect to follow ends the item for good", arguments: refusals)
  func refused(_ refusal: Refusal) async throws {
    let server = try Self.server(refusal.status) { _ in refusal.fields }
    defer { server.stop() }
    let (run, bench) = try await apply(server)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f")?.reason == refusal.reason, "\(run.said)")
    #expect(run.item("f")?.attempts.count == 1, "it is not tried again")
    #expect(bench.names() == [])
  }

  @Test(
    "mirror apply: P36 https is never left for http, whatever the status",
    .enabled(if: NginxServer.isAvailable, "nginx is not installed"), arguments: [301, 302, 303, 307, 308])
  func downgrade(_ status: Int) async throws {
    let plain = try Self.server(200) { _ in "" }
    defer { plain.stop() }
    let site = try Site(
      1, of: 10, scheme: .https2,
      snippets: NginxServer.Snippets(location: "return \(status) http://127.0.0.1:\(plain.port)/x;"))
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f0")?.reason == "redirect_refused")
    #expect(plain.connectionCount == 0)
    #expect(bench.names() == [])
  }

  @Test("mirror apply: P37 a loop between two servers ends after ten hops", arguments: [301, 302, 303, 307, 308])
  func pingPong(_ status: Int) async throws {
    let other = Lock<UInt16>(0)
    let first = try Self.server(status) { _ in "Location: http://127.0.0.1:\(other.withLock { $0 })/loop\r\n" }
    let second = try Self.server(status) { _ in "Location: http://127.0.0.1:\(first.port)/loop\r\n" }
    other.withLock { $0 = second.port }
    defer {
      first.stop()
      second.stop()
    }
    let (run, bench) = try await apply(first)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f")?.reason == "too_many_redirects")
    #expect(bench.names() == [])
  }
}
