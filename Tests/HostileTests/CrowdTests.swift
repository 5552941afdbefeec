// Very many small transfers, the last ones of a run, and how many connections they take.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct CrowdTests {
  /// `MIRROR_CROWD=20000` for the number of the report that the case is from.
  private static let count = ProcessInfo.processInfo.environment["MIRROR_CROWD"].flatMap { Int($0) } ?? 4_000

  private static func content(_ number: Int) -> [UInt8] { Array("object \(number)".utf8) }

  private static func emulator(_ count: Int, faults: String) throws -> StorageEmulator {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 2))
    server.objects.makeBucket("b")
    for number in 0..<count { server.objects.put("b", "f\(number)", content(number)) }
    try server.play(faults)
    return server
  }

  /// Something stands between that speaks the protocol; nil = the emulator is asked itself.
  private static func front(_ scheme: NginxServer.Scheme, of server: StorageEmulator) throws -> NginxServer? {
    guard scheme != .http else { return nil }
    let folder = try TemporaryDirectory()
    return try NginxServer(
      serving: folder.path, scheme: scheme,
      snippets: NginxServer.Snippets(
        http: "upstream emulator { server 127.0.0.1:\(server.port) max_fails=0; keepalive 64; }",
        location: """
          proxy_pass http://emulator; proxy_http_version 1.1; proxy_set_header Connection ""; \
          proxy_next_upstream off; proxy_read_timeout 30s; proxy_buffering off;
          """))
  }

  private static func items(_ count: Int, _ server: StorageEmulator, _ front: NginxServer?) -> [Bench.Item] {
    let base = front?.base ?? "http://127.0.0.1:\(server.port)"
    return (0..<count).map { Bench.Item(url: "\(base)/b/f\($0)", to: "f\($0)") }
  }

  private static func trust(_ front: NginxServer?) -> [String: String] {
    front?.certificate.map { ["SSL_CERT_FILE": $0.certificatePath] } ?? [:]
  }

  private func wrong(_ bench: Bench, _ count: Int) -> [Int] {
    (0..<count).filter { bench.content("f\($0)") != Self.content($0) }
  }

  // MARK: P29

  @Test(
    "mirror apply: P29 thousands of objects with 503s and resets all come, and the run ends",
    arguments: [NginxServer.Scheme.http, .https2])
  func crowd(_ scheme: NginxServer.Scheme) async throws {
    let count = scheme == .http ? Self.count : Self.count / 4
    // Two in a hundred each, at places that move on from request to request.
    let server = try Self.emulator(
      count,
      faults: """
        on GET b/* request every 50 of-all => status 503 body html
        on GET b/* request every 47 of-all => reset 3
        on GET b/* request every 211 of-all => empty-reply
        """)
    defer { server.stop() }
    let front = try Self.front(scheme, of: server)
    let bench = try Bench(
      Self.items(count, server, front), retryFor: "60s", settings: "limits: {jobs: 64, per_host: 64}")
    let run = try await bench.apply(environment: Self.trust(front), timeout: .seconds(240))
    #expect(run.status == 0, "\(run.said.suffix(2_000))")
    #expect(wrong(bench, count) == [])
    #expect(bench.names().count == count)
    #expect(run.report?.items.count == count)
    #expect((run.report?.items.filter { $0.attempts.count > 1 }.count ?? 0) > count / 50)
  }

  // MARK: P09

  @Test(
    "mirror apply: P09 connections that close after a few requests lose no object",
    arguments: ["keep-alive 1", "keep-alive 1 silent", "keep-alive 3 silent", "keep-alive 7", "keep-alive 13 silent"])
  func closing(_ fault: String) async throws {
    let count = 1_500
    let server = try Self.emulator(count, faults: "on GET b/* => \(fault)")
    defer { server.stop() }
    let bench = try Bench(
      Self.items(count, server, nil), retryFor: "60s", settings: "limits: {jobs: 64, per_host: 64}")
    let run = try await bench.apply(timeout: .seconds(120))
    #expect(run.status == 0, "\(run.said.suffix(2_000))")
    #expect(wrong(bench, count) == [])
    #expect(Set((run.report?.items ?? []).map(\.to)).count == count)
    // A connection that had closed before the request came is no failed attempt.
    #expect(run.report?.items.allSatisfy { $0.attempts.count == 1 } == true)
  }

  // MARK: P30

  struct Tail: CustomTestStringConvertible {
    var scheme: NginxServer.Scheme
    var fault: String
    var testDescription: String { "\(scheme.rawValue), \(fault)" }
  }

  @Test(
    "mirror apply: P30 the last answers that stall after their heads are asked for again on fresh connections",
    arguments: [
      Tail(scheme: .http, fault: "stall 0"), Tail(scheme: .http, fault: "stall 5"),
      Tail(scheme: .http, fault: "chunked; stall 5"), Tail(scheme: .http, fault: "close-delimited; stall 5"),
      Tail(scheme: .http, fault: "delay 20s"), Tail(scheme: .https2, fault: "stall 5"),
    ])
  func tail(_ tail: Tail) async throws {
    let count = 700
    let server = try Self.emulator(
      count, faults: (697..<700).map { "on GET b/f\($0) request 1 => \(tail.fault)" }.joined(separator: "\n"))
    defer { server.stop() }
    let front = try Self.front(tail.scheme, of: server)
    let bench = try Bench(Self.items(count, server, front), defaults: "timeout: {idle: 1s}")
    let run = try await bench.apply(environment: Self.trust(front))
    #expect(run.status == 0, "\(run.said)")
    #expect(wrong(bench, count) == [])
    #expect(run.elapsed < .seconds(15), "bounded by the idle time: \(run.elapsed)")
    for number in 697..<700 {
      let item = try #require(run.item("f\(number)"))
      #expect(item.attempts.map(\.error) == ["stalled", nil], "f\(number)")
      guard front == nil else { continue }
      let asked = server.log.filter { $0.target == "/b/f\(number)" }
      #expect(asked.count == 2)
      let first = server.log.first { $0.connection == asked.last?.connection }
      #expect(first?.target == asked.last?.target, "the connection of the second request had served none before")
    }
  }

  // MARK: Row 15

  struct Limits: CustomTestStringConvertible {
    var jobs: Int
    var perHost: Int
    var connections: Int
    /// What the server allows on one connection of HTTP/2.
    var streams = 128
    var testDescription: String { "jobs \(jobs), per_host \(perHost), \(streams) streams" }
  }

  @Test(
    "mirror apply: never more connections than were asked for, over HTTP/1.1",
    .enabled(if: NginxServer.isAvailable, "nginx is not installed"),
    arguments: [
      Limits(jobs: 64, perHost: 1, connections: 1), Limits(jobs: 64, perHost: 3, connections: 3),
      Limits(jobs: 64, perHost: 16, connections: 16), Limits(jobs: 1, perHost: 16, connections: 1),
      Limits(jobs: 5, perHost: 16, connections: 5),
    ],
    [NginxServer.Scheme.http, .https])
  func connections(_ limits: Limits, _ scheme: NginxServer.Scheme) async throws {
    let site = try Site(300, of: 2_000, scheme: scheme)
    let proxy = try CuttingProxy(to: site.server.port) { _ in .whole }
    defer { proxy.stop() }
    let bench = try Bench(
      site.items(by: proxy.port), settings: "limits: {jobs: \(limits.jobs), per_host: \(limits.perHost)}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    // All that were ever opened: none was lost on the way.
    #expect(proxy.connectionCount <= limits.connections)
  }

  @Test(
    "mirror apply: at most four connections to a host that speaks HTTP/2",
    .enabled(if: NginxServer.isAvailable, "nginx is not installed"),
    arguments: [
      Limits(jobs: 64, perHost: 16, connections: 4), Limits(jobs: 64, perHost: 1, connections: 1),
      Limits(jobs: 1, perHost: 16, connections: 1), Limits(jobs: 400, perHost: 400, connections: 4),
      Limits(jobs: 32, perHost: 16, connections: 4, streams: 8),
      // Streams that were begun before the server had said how many it allows are refused, and libcurl gives up their
      // connection for another one.
      Limits(jobs: 128, perHost: 128, connections: 4, streams: 10),
    ])
  func multiplexed(_ limits: Limits) async throws {
    let site = try Site(
      600, of: 2_000, scheme: .https2,
      snippets: NginxServer.Snippets(server: "http2_max_concurrent_streams \(limits.streams);"))
    let proxy = try CuttingProxy(to: site.server.port) { _ in .whole }
    defer { proxy.stop() }
    let bench = try Bench(
      site.items(by: proxy.port), settings: "limits: {jobs: \(limits.jobs), per_host: \(limits.perHost)}")
    let run = try await bench.apply(environment: site.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(site.isMirrored(in: bench))
    #expect(proxy.mostConnections <= limits.connections, "of \(proxy.connectionCount) in all")
  }

  @Test(
    "mirror apply: a bucket is asked for a page of a thousand names at a time, and for its media over few connections",
    arguments: [1, 999, 1_000, 1_001, 2_500])
  func pages(_ count: Int) async throws {
    let server = try Self.emulator(count, faults: "")
    defer { server.stop() }
    let bench = try Bench(tree: "gs://b/", port: server.port, settings: "limits: {jobs: 8, per_host: 8}")
    let first = try await bench.apply()
    #expect(first.status == 0, "\(first.said)")
    #expect(Set(server.log.map(\.connection)).count <= 8)
    server.clearLog()
    let second = try await bench.apply()
    #expect(second.status == 0, "\(second.said)")
    // ⌈n/1000⌉ + 1 at most.
    #expect(server.log.count <= (count + 999) / 1_000 + 1)
    #expect(server.log.allSatisfy { $0.target.contains("/o?") })
  }
}
