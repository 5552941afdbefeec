// How exactly the built binary keeps its rates. The bounds are wide enough for a busy machine above, and tight below, where
// only a fault can go.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct RateTests {
  /// The seconds that transfers took, from the first request of the log to the end of the run.
  private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    let (whole, parts) = (clock.now - start).components
    return Double(whole) + Double(parts) / 1e18
  }

  private func server(_ count: Int, size: Int) throws -> StorageEmulator {
    let server = try StorageEmulator.serving()
    for index in 0..<count { server.put("o/\(index)", TestBytes.make(size, seed: UInt64(index) + 1)) }
    return server
  }

  private func place(_ server: StorageEmulator, _ limits: String) throws -> Workplace {
    try Workplace(server.port, settings: "limits: {\(limits)}", "trees: [{ref: \"gs://b/o/\", to: o/}]")
  }

  /// A sanitizer's programs may be late; early they may never be.
  private let slowness = Double(SanitizerOptions.slowness)

  private func run(_ place: Workplace, environment: [String: String] = [:]) async throws -> Double {
    try await seconds {
      let run = try await place.apply(environment: environment)
      #expect(run.status == 0, "\(run.said)")
    }
  }

  @Test(
    "mirror apply: 8 MiB at 4 MiB/s take two seconds, in all and for one host, in one file and in many",
    arguments: [("rate: 4MiB/s", 1), ("rate: 4MiB/s", 64), ("rate_per_host: 4MiB/s", 16)])
  func bytes(limits: String, files: Int) async throws {
    let server = try server(files, size: (8 << 20) / files)
    defer { server.stop() }
    let took = try await run(place(server, limits))
    #expect(took > 1.85 && took < 2.5 * slowness, "\(took) s")
  }

  @Test("mirror apply: 60 requests at 30 a second take two seconds", arguments: ["requests", "requests_per_host"])
  func requests(key: String) async throws {
    let server = try server(59, size: 10)  // and one list
    defer { server.stop() }
    let took = try await run(place(server, "\(key): 30"))
    #expect(took > 1.9 && took < 2.5 * slowness, "\(took) s")
  }

  @Test func `mirror apply: two hosts at 2 MiB/s each go side by side`() async throws {
    let (one, other) = (try server(1, size: 4 << 20), try server(1, size: 4 << 20))
    defer {
      one.stop()
      other.stop()
    }
    let place = try Workplace(
      one.port, settings: "limits: {rate_per_host: 2MiB/s}",
      "items: [{ref: \"\(one.link("o/0"))\", to: a}, {ref: \"\(other.link("o/0"))\", to: b}]")
    let took = try await run(place)
    #expect(took > 1.75 && took < 2.6 * slowness, "\(took) s")
  }

  /// A time zone in which it is `second` of the day now.
  private func zone(atSecond second: Int) -> String {
    let now = Int(Date().timeIntervalSince1970) % 86_400
    // POSIX counts west of Greenwich: local time = UTC - offset. Offsets are kept within a day's reach.
    var offset = now - second
    if offset > 86_400 / 2 { offset -= 86_400 }
    if offset < -86_400 / 2 { offset += 86_400 }
    let size = abs(offset)
    let text = [size / 3_600, size / 60 % 60, size % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return "XXX\(offset < 0 ? "-" : "")\(text)"
  }

  @Test func `mirror apply: the night's rate begins while a transfer is under way`() async throws {
    let server = try server(1, size: 16 << 20)
    defer { server.stop() }
    let place = try place(server, "rate: [{from: \"20:00\", rate: 0}, {from: \"08:00\", rate: 1MiB/s}]")
    // Two seconds of the day are left: at the day's rate alone it would take 16.
    let took = try await run(place, environment: ["TZ": zone(atSecond: 72_000 - 2)])
    #expect(took > 0.9 && took < 5 * slowness, "\(took) s")
  }

  @Test func `mirror apply: the day's rate begins while transfers are under way`() async throws {
    let server = try server(40, size: 1 << 18)
    defer { server.stop() }
    let place = try place(
      server, "requests: [{from: \"20:00\", rate: 10}, {from: \"08:00\", rate: 1000}]")
    let night = try await run(place, environment: ["TZ": zone(atSecond: 72_000 - 1)])
    #expect(night < 5, "\(night) s")
    let other = try self.place(
      server, "requests: [{from: \"20:00\", rate: 20}, {from: \"08:00\", rate: 1000}]")
    let late = try await run(other, environment: ["TZ": zone(atSecond: 72_000 + 5)])
    #expect(late > 1.9 && late < 3 * slowness, "\(late) s")
  }
}
