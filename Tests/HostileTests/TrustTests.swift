// Whom `mirror` believes, and by which way it goes: certificates, proxies, addresses.

import TestSupport
import Testing

@Suite(.serialized, .enabled(if: NginxServer.isAvailable, "nginx is not installed"))
struct TrustTests {
  struct Certificate: CustomTestStringConvertible {
    var testDescription: String
    var subjects = "DNS:localhost,IP:127.0.0.1"
    var days = 2
    var isTrusted = true
  }

  static let untrusted = [
    Certificate(testDescription: "of nobody known", isTrusted: false),
    Certificate(testDescription: "of another host", subjects: "DNS:other.example,IP:127.0.0.9"),
    Certificate(testDescription: "that has run out", days: -1),
  ]

  @Test("mirror apply: P85 a certificate is refused at once, and for good", arguments: untrusted)
  func refused(_ kind: Certificate) async throws {
    let folder = try TemporaryDirectory()
    let certificate = try SelfSignedCertificate(in: folder, for: kind.subjects, days: kind.days)
    let site = try Site(1, of: 1_000, scheme: .https, certificate: certificate)
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: kind.isTrusted ? site.trust : [:])
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f0")?.reason == "certificate")
    #expect(run.item("f0")?.attempts.count == 1)
    #expect(try site.server.requests() == [])
    #expect(bench.names() == [])
  }

  @Test func `mirror apply: a private CA is trusted by SSL_CERT_FILE`() async throws {
    let site = try Site(1, of: 1_000, scheme: .https)
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: an SSL_CERT_FILE that is not there is said to be the reason`() async throws {
    let site = try Site(1, of: 1_000, scheme: .https)
    let bench = try Bench(site.items())
    let run = try await bench.apply(environment: ["SSL_CERT_FILE": bench.folder.path("none.pem")])
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f0")?.reason == "certificate")
    #expect(run.said.contains("none.pem"), "\(run.said)")
  }

  // MARK: Proxies

  @Test(
    "mirror apply: P88 hosts of NO_PROXY are reached without the proxy, in either spelling",
    arguments: ["no_proxy", "NO_PROXY"])
  func noProxy(_ variable: String) async throws {
    let site = try Site(1, of: 1_000, scheme: .https)
    let dead = "http://127.0.0.1:\(try LoopbackSocket.freePort())"
    let bench = try Bench(site.items())
    let around = [variable: "127.0.0.1,localhost", "https_proxy": dead, "HTTPS_PROXY": dead, "http_proxy": dead]
    let run = try await bench.apply(environment: site.trust.merging(around) { one, _ in one })
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test("mirror apply: P88 a proxy that is dead is the reason, and is named", arguments: ["http", "https"])
  func deadProxy(_ scheme: String) async throws {
    let port = try LoopbackSocket.freePort()
    let bench = try Bench([Bench.Item(url: "\(scheme)://files.example/f", to: "f")], retryFor: "1s")
    let run = try await bench.apply(environment: ["\(scheme)_proxy": "http://user:hunter2@127.0.0.1:\(port)"])
    #expect(run.status == 4, "\(run.said)")
    #expect(run.said.contains("\(port)"), "\(run.said)")
    #expect(!run.said.contains("hunter2"))
  }

  @Test(
    "mirror apply: P88 a proxy that wants a password fails for good, and no secret is printed",
    arguments: ["http", "https"])
  func refusingProxy(_ scheme: String) async throws {
    let proxy = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n")
    }
    defer { proxy.stop() }
    let bench = try Bench([Bench.Item(url: "\(scheme)://files.example/f", to: "f")])
    let run = try await bench.apply(environment: ["\(scheme)_proxy": "http://user:hunter2@127.0.0.1:\(proxy.port)"])
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f")?.reason == "proxy", "\(run.said)")
    #expect(run.said.contains("407"), "\(run.said)")
    let report = try bench.folder.readText("report.json")
    #expect(!run.said.contains("hunter2") && !report.contains("hunter2"))
    // libcurl tries once with the name and password that it was given.
    #expect(proxy.connectionCount <= 2)
  }

  // MARK: Addresses

  @Test func `mirror apply: an IPv6 address is reached`() async throws {
    let port = try LoopbackSocket.freePort()
    let site: Site
    do {
      site = try Site(1, of: 1_000, snippets: NginxServer.Snippets(server: "listen [::1]:\(port);"))
    } catch is ServerDidNotStart {
      try Test.cancel("this machine has no IPv6")
    }
    let bench = try Bench([Bench.Item(url: "http://[::1]:\(port)/f0", to: "f0")])
    let run = try await bench.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
  }

  @Test func `mirror apply: P85 a name that does not exist has its own reason`() async throws {
    let bench = try Bench([Bench.Item(url: "http://nowhere.invalid/f", to: "f")], retryFor: "1s")
    let run = try await bench.apply()
    #expect(run.status == 4, "\(run.said)")
    #expect(["name_not_found", "name_lookup_failed"].contains(run.item("f")?.reason), "\(run.said)")
  }
}
