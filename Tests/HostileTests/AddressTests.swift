// Names with several addresses of which one leads nowhere.

import TestSupport
import Testing

@Suite(
  .serialized, .enabled(if: NginxServer.isAvailable, "nginx is not installed"),
  .enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.howToGet)),
  .enabled(if: BlackHole.isAvailable, "needs IPv6 on loopback"))
struct AddressTests {
  private static let name = "two-addresses.test"

  private func items(_ count: Int, _ port: UInt16, scheme: String = "http") -> [Bench.Item] {
    (0..<count).map { Bench.Item(url: "\(scheme)://\(Self.name):\(port)/f\($0)", to: "f\($0)") }
  }

  @Test(
    "mirror apply: P89 a dead IPv6 address costs less than a second", arguments: [NginxServer.Scheme.http, .https2])
  func fallsBack(_ scheme: NginxServer.Scheme) async throws {
    let folder = try TemporaryDirectory()
    let certificate = try SelfSignedCertificate(in: folder, for: "DNS:\(Self.name)", days: 2)
    let site = try Site(50, of: 4_000, scheme: scheme, certificate: scheme == .http ? nil : certificate)
    let hole = try BlackHole(port: site.server.port)
    defer { withExtendedLifetime(hole) {} }
    let bench = try Bench(items(50, site.server.port, scheme: scheme == .http ? "http" : "https"))
    let library = try FaultLibrary()
    let trust = site.trust.merging(library.environment(resolving: Self.name)) { one, _ in one }
    let alone = try await bench.apply("--dry-run", environment: trust)
    let run = try await bench.apply(environment: trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    // What a process of the debug build takes to start on a busy machine is not the network's.
    #expect(run.elapsed - alone.elapsed < .seconds(2), "\(run.elapsed) with \(alone.elapsed) to start")
  }

  /// A server that ends each connection makes every request pay for the detour, unless it was remembered.
  @Test func `mirror apply: P89 the family that works is remembered for the host`() async throws {
    let site = try Site(40, of: 1_000, snippets: NginxServer.Snippets(server: "keepalive_timeout 0;"))
    let hole = try BlackHole(port: site.server.port)
    defer { withExtendedLifetime(hole) {} }
    let bench = try Bench(items(40, site.server.port), settings: "limits: {jobs: 1}")
    let library = try FaultLibrary()
    let run = try await bench.apply(environment: library.environment(resolving: Self.name))
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    // Each detour takes 0.2 s: 40 of them would be 8 s.
    #expect(run.elapsed < .seconds(5), "\(run.elapsed)")
  }

  @Test func `mirror apply: P89 where IPv6 is refused IPv4 is asked at once`() async throws {
    let site = try Site(20, of: 1_000, snippets: NginxServer.Snippets(server: "keepalive_timeout 0;"))
    let bench = try Bench(items(20, site.server.port), settings: "limits: {jobs: 1}")
    let library = try FaultLibrary()
    let run = try await bench.apply(environment: library.environment(resolving: Self.name))
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    #expect(run.elapsed < .seconds(4), "\(run.elapsed)")
  }
}
