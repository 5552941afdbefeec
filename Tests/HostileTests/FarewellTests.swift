// Bodies that only the end of a TLS connection ends: whole when TLS says goodbye, cut when it does not (RFC 9112 section 9.8).

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TLSServer.isAvailable, "needs python3 with ssl"))
struct FarewellTests {
  private static let body = [UInt8](repeating: 0x62, count: 300_000)

  private func bench(
    _ server: TLSServer, _ path: String, pin: String = "", verify: String = "auto", retryFor: String = "1s"
  ) throws -> Bench {
    try Bench(
      [Bench.Item(url: "https://127.0.0.1:\(server.port)/\(path)", to: "f", more: pin)],
      defaults: "verify: \(verify), timeout: {idle: 2s}", retryFor: retryFor)
  }

  private static func digest() throws -> String {
    let sum = try ChildProcess.run("sha256sum", input: body).outputText.prefix(64)
    return "sha256: \(sum)"
  }

  @Test("mirror apply: P50 a body that TLS ends is taken", arguments: ["1.2", "1.3"])
  func ended(_ version: String) async throws {
    let server = try TLSServer(version: version)
    let bench = try bench(server, "whole")
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    #expect(run.item("f")?.provenBy == "none", "nothing else proves it, and the report says so")
    #expect(run.said.contains("not proven to be whole"), "\(run.said)")
  }

  @Test(
    "mirror apply: P05 a body that TLS does not end is truncated", arguments: ["1.2", "1.3"], ["cut", "cut-reset"])
  func cut(_ version: String, _ path: String) async throws {
    let server = try TLSServer(version: version)
    let bench = try bench(server, path)
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 4, "\(run.said)")
    #expect(bench.names() == [])
    let errors = Set(run.item("f")?.attempts.compactMap(\.error) ?? [])
    #expect(errors.isSubset(of: ["truncated", "connection_reset"]), "\(errors)")
    #expect(run.said.contains("hint:"), "\(run.said)")
  }

  @Test func `mirror apply: P05 a cut that does not come again costs one attempt`() async throws {
    let server = try TLSServer()
    let bench = try bench(server, "cut-once", retryFor: "30s")
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    #expect(run.item("f")?.attempts.map(\.error) == ["truncated", nil])
  }

  /// A server that never ends TLS as it should is of use to whoever knows what has to come.
  @Test("mirror apply: a pin proves what TLS does not", arguments: ["size: 300000", "sha256"])
  func pinned(_ pin: String) async throws {
    let server = try TLSServer()
    let bench = try bench(server, "rude", pin: pin == "sha256" ? Self.digest() : pin)
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    #expect(run.item("f")?.provenBy == (pin == "sha256" ? "pinned_hash" : "length"))
  }

  @Test func `mirror apply: verify off takes what TLS does not end`() async throws {
    let server = try TLSServer()
    let bench = try bench(server, "rude", verify: "off")
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(run.item("f")?.provenBy == "none")
  }

  @Test("mirror apply: P50 strict takes neither", arguments: ["whole", "cut"])
  func strict(_ path: String) async throws {
    let server = try TLSServer()
    let bench = try bench(server, path, verify: "strict")
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("f")?.reason == "not_comparable")
    #expect(bench.names() == [])
  }

  @Test("mirror apply: a body with a length or chunks needs no goodbye of TLS", arguments: ["length", "chunked"])
  func framed(_ path: String) async throws {
    let server = try TLSServer()
    let bench = try bench(server, path)
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    #expect(run.item("f")?.provenBy == "length")
  }

  @Test("mirror apply: P05 a framed body that is cut under TLS is truncated", arguments: ["length-cut", "chunked-cut"])
  func framedCut(_ path: String) async throws {
    let server = try TLSServer()
    let bench = try bench(server, path)
    let run = try await bench.apply(environment: server.trust)
    #expect(run.status == 4, "\(run.said)")
    #expect(bench.names() == [])
  }
}
