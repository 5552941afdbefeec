// A run that is told to stop, by a signal or by its terminal, ends in good order.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct SignalTests {
  private static let big = TestBytes.make(3_000_000)
  private static let kept = 1_500_000

  /// Thirty small objects, and a big one of which half comes.
  private func server() throws -> StorageEmulator {
    var objects = ["big.bin": Self.big]
    for index in 0..<30 { objects["small/\(index)"] = TestBytes.make(500, seed: UInt64(index)) }
    return try StorageEmulator.serving(objects, faults: "on media b/big.bin request 1 => stall \(Self.kept)")
  }

  private func place(_ server: StorageEmulator) throws -> Workplace {
    try Workplace(server.port, "trees: [{ref: \"gs://b/\", to: .}]")
  }

  /// Runs until half of the big object and all small ones are there.
  private func startAndWait(_ place: Workplace) async throws -> ChildProcess {
    let child = try place.start("apply", "--report", "report.json", "mirror.yaml")
    try await eventually("half of the big object and all small ones are there") {
      place.partSizes() == [Self.kept] && (0..<30).allSatisfy { place.content("small/\($0)") != nil }
    }
    return child
  }

  @Test(
    arguments: [(SIGINT, 130, "sigint"), (SIGTERM, 143, "sigterm"), (SIGHUP, 143, "sighup")] as [(Int32, Int32, String)]
  )
  func `mirror apply, interrupted: P90 the report is whole, the part is kept and continued`(
    signal: Int32, status: Int32, word: String
  ) async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    let child = try await startAndWait(place)
    child.send(signal: signal)
    #expect(child.wait(for: .seconds(10)) == .exited(status))
    let report = try place.report()
    #expect(report.exit.code == status)
    #expect(report.exit.reasons.contains { $0.reason == word })
    #expect(report.addsUp)
    #expect(report.totals.items == 31)
    #expect(report.totals.downloaded == 30)
    #expect(report.items.first { $0.to == "big.bin" }?.outcome == "interrupted")
    #expect(place.content("big.bin") == nil)
    #expect(place.partSizes() == [Self.kept])
    let next = try await place.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(next.report.totals.bytes == Self.big.count - Self.kept)
    #expect(next.report.totals.unchanged == 30)
    #expect(place.content("big.bin") == Self.big)
    #expect(place.partSizes() == [])
  }

  @Test func `mirror apply, interrupted twice: P90 ends at once without a broken file`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    let child = try await startAndWait(place)
    child.send(signal: SIGINT)
    child.send(signal: SIGTERM)
    let end = child.wait(for: .seconds(10))
    #expect(end == .exited(130) || end == .exited(143), "\(String(describing: end))")
    #expect(place.content("big.bin") == nil)
    for index in 0..<30 { #expect(place.content("small/\(index)")?.count == 500) }
    let next = try await place.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(place.content("big.bin") == Self.big)
  }

  @Test func `mirror plan into a pipe that nobody reads: P90 ends without a word`() async throws {
    let server = try StorageEmulator.serving(faults: "generate b count 3000 prefix obj/ size 10")
    defer { server.stop() }
    let place = try Workplace(server.port, "trees: [{ref: \"gs://b/obj/\", to: .}]")
    let line = "{ \"$0\" plan mirror.yaml; echo $? >status; } | true"
    let shell = try await ChildProcess.run(
      "/bin/sh", ["-c", line, BuiltProducts.mirror], environment: Workplace.environment([:]), in: place.folder.path)
    #expect(shell.status == 0)
    #expect(try place.folder.readText("status") == "141\n")
    #expect(shell.errorText == "")
  }

  @Test func `mirror plan --json with standard input closed: P59 is one JSON document`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    let shell = try await ChildProcess.run(
      "/bin/sh", ["-c", "exec \"$0\" plan --json mirror.yaml <&-", BuiltProducts.mirror],
      environment: Workplace.environment([:]), in: place.folder.path)
    #expect(shell.status == 0, "\(shell.errorText)")
    let document = try JSONSerialization.jsonObject(with: Data(shell.standardOutput)) as? [String: Any]
    #expect(document?["schema"] as? String == "mirror.plan/1")
    #expect((document?["rows"] as? [Any])?.count == 31)
    #expect(shell.errorText == "")
  }

  @Test func `mirror apply beside another run: P65 says who holds the root, or waits for it`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    let first = try await startAndWait(place)
    let second = try await place.mirror("apply", "mirror.yaml")
    #expect(second.status == 8)
    #expect(second.errorText.contains("\(first.pid)"), "\(second.errorText)")
    #expect(second.errorText.contains(ProcessInfo.processInfo.hostName), "\(second.errorText)")
    #expect(second.errorText.contains("started 20"), "\(second.errorText)")
    let elsewhere = try await place.mirror("apply", "--root", "elsewhere", "mirror.yaml")
    #expect(elsewhere.status == 0, "\(elsewhere.errorText)")
    let waiting = try place.start("apply", "--wait", "1m", "mirror.yaml")
    first.send(signal: SIGTERM)
    #expect(first.wait(for: .seconds(10)) == .exited(143))
    #expect(waiting.wait(for: .seconds(60)) == .exited(0))
    #expect(place.content("big.bin") == Self.big)
  }

  @Test func `mirror apply after a run that was killed: P66 nothing is locked`() async throws {
    let server = try server()
    defer { server.stop() }
    let place = try place(server)
    let first = try await startAndWait(place)
    first.send(signal: SIGKILL)
    #expect(first.wait(for: .seconds(10)) == .signalled(SIGKILL))
    let next = try await place.apply()
    #expect(next.status == 0, "\(next.said)")
    #expect(next.report.totals.bytesResumed == Self.kept)
    #expect(place.content("big.bin") == Self.big)
  }
}
