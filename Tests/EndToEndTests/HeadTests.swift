// HEAD is a courtesy that servers may refuse, or never answer: nothing depends on it.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct HeadTests {
  /// Commands in the order of a user's day; the later ones have something to compare with.
  private static func commands(_ link: String) -> [[String]] {
    [
      ["check", "mirror.yaml"], ["plan", "mirror.yaml"], ["apply", "mirror.yaml"], ["plan", "mirror.yaml"],
      ["lock", "mirror.yaml"], ["apply", "--locked", "mirror.yaml"], ["apply", "--check", "mirror.yaml"],
      ["verify", "mirror.yaml"], ["explain", "mirror.yaml", "web0"], ["status", "mirror.yaml"],
      ["doctor", "mirror.yaml"], ["get", link, "copy"], ["cat", link], ["stat", link],
    ]
  }

  private func run(_ faults: String) async throws -> StorageEmulator {
    let server = try StorageEmulator.serving(["t/1": Data("1".utf8), "o": Data("o".utf8)], faults: faults)
    // More than is read to its end when only the head is wanted.
    let body = TestBytes.make(200_000)
    for index in 0..<4 { server.put("x\(index)", body) }
    let web = (0..<4).map { "{ref: \"\(server.link("x\($0)"))\", to: web\($0)}" }.joined(separator: ", ")
    let place = try Workplace(
      server.port, settings: "limits: {jobs: 1}",
      "items: [\(web), {ref: o, to: object}]\ntrees: [{ref: \"gs://b/t/\", to: t/}]")
    for command in Self.commands(server.link("x0")) {
      let result = try await place.mirror(command, timeout: .seconds(60))
      #expect(result.status == 0, "\(faults): \(command): \(result.errorText)")
      #expect(
        server.log.count { $0.method == "HEAD" } <= 1 || faults.isEmpty,
        "\(command): a host is asked by HEAD once a run")
      server.clearLog()
    }
    #expect(place.content("web3") == body)
    #expect(try place.folder.read("copy") == [UInt8](body))
    return server
  }

  @Test(
    "mirror: P49 where HEAD is refused and GET works, every command does",
    arguments: ["status 405", "status 403", "status 400", "status 501", "status 500", "empty-reply"])
  func refused(answer: String) async throws { try await run("on HEAD => \(answer)").stop() }

  @Test func `mirror: P49 where HEAD hangs and GET works, every command does, and waits for seconds only`() async throws
  {
    let clock = ContinuousClock()
    let start = clock.now
    try await run("on HEAD => delay 300s").stop()
    // Two commands ask by HEAD (plan, before anything is there, and stat), each once.
    #expect(clock.now - start < .seconds(60))
  }

  @Test func `mirror apply: P49 HEAD is not asked at all`() async throws {
    let server = try StorageEmulator.serving(["x": Data("x".utf8)])
    defer { server.stop() }
    let place = try Workplace(server.port, "items: [{ref: \"\(server.link("x"))\", to: x}]")
    for _ in 0..<2 { #expect(try await place.apply().status == 0) }
    #expect(server.log.map(\.method) == ["GET", "GET"])
  }
}
