// What is fetched again and what is not: the second run and those after it.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@Suite(.serialized) struct NoOpTests {
  private static let kinds = ["gcs", "firebase", "web"]

  private func place(_ server: StorageEmulator, _ kind: String, more: String = "") throws -> Workplace {
    let reference = kind == "web" ? server.link("x") : "x"
    return try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", "items: [{ref: \"\(reference)\", to: x\(more)}]")
  }

  @Test func `mirror apply: a pinned item that is proven asks for nothing`() async throws {
    let content = TestBytes.make(5_000)
    let server = try StorageEmulator.serving(["x": content])
    defer { server.stop() }
    let sum = try await ChildProcess.run("sha256sum", input: [UInt8](content)).outputText.prefix(64)
    let place = try place(server, "web", more: ", sha256: \(sum)")
    #expect(try await place.apply().status == 0)
    server.clearLog()
    let run = try await place.apply()
    #expect(run.status == 0)
    #expect(server.requests == [])
    #expect(try run.item("x").comparedBy == "pin")
  }

  @Test(arguments: kinds)
  func `mirror apply: P51 P52 nothing new costs one request and touches nothing`(kind: String) async throws {
    let server = try StorageEmulator.serving(["x": TestBytes.make(5_000)])
    defer { server.stop() }
    let place = try place(server, kind)
    #expect(try await place.apply().status == 0)
    let before = try place.tree()
    for _ in 0..<3 {
      server.clearLog()
      let run = try await place.apply()
      #expect(run.status == 0, "\(run.said)")
      #expect(run.report.totals.unchanged == 1)
      #expect(run.report.totals.bytes == 0)
      #expect(server.requests.count == 1)
      #expect(try place.tree() == before)
    }
  }

  @Test(arguments: kinds)
  func `mirror apply: P18 without its state it adopts what is right and refuses nothing`(kind: String) async throws {
    let server = try StorageEmulator.serving(["x": TestBytes.make(5_000)])
    defer { server.stop() }
    let place = try place(server, kind)
    #expect(try await place.apply().status == 0)
    let before = try place.tree()
    try FileManager.default.removeItem(atPath: place.path(".mirror"))
    server.clearLog()
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.adopted == 1)
    #expect(run.report.totals.bytes == 0)
    #expect(try place.tree() == before)
    #expect(try await place.apply().report.totals.unchanged == 1)
  }

  @Test(arguments: kinds)
  func `mirror apply: P44 a changed object of the same size is fetched, whatever the local time`(
    kind: String
  ) async throws {
    let server = try StorageEmulator.serving(["x": TestBytes.make(5_000)])
    defer { server.stop() }
    let place = try place(server, kind)
    #expect(try await place.apply().status == 0)
    let changed = TestBytes.make(5_000, seed: 2)
    server.put("x", changed)
    var future = [timespec(tv_sec: 4_000_000_000, tv_nsec: 0), timespec(tv_sec: 4_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, place.path("x"), &future, 0) == 0)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("x") == changed)
  }

  @Test func `mirror apply: P46 another time zone is no change`() async throws {
    let site = try TemporaryDirectory()
    try site.write(TestBytes.make(1_000), to: "x")
    let server = try NginxServer(serving: site.path, snippets: .init(location: "etag off;"))
    defer { server.stop() }
    let place = try Workplace(9, "items: [{ref: \"\(server.base)/x\", to: x}]")
    #expect(try await place.apply(environment: ["TZ": "UTC"]).status == 0)
    for zone in ["EST5EDT,M3.2.0,M11.1.0", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ-14"] {
      let run = try await place.apply(environment: ["TZ": zone])
      #expect(run.report.totals.unchanged == 1, "\(zone): \(run.said)")
      #expect(run.report.totals.bytes == 0)
      #expect(try run.item("x").comparedBy == "last_modified")
    }
    #expect(try server.requests().dropFirst().allSatisfy { $0.contains(" 304 ") })
  }

  /// A server of one small object whose answers the test writes out.
  private func rawServer(_ answer: @escaping @Sendable (RawServerRequest) -> String) throws -> RawServer {
    try RawServer { connection in
      while let request = connection.readRequest() {
        let text = answer(request)
        connection.write(text)
        if text.hasPrefix("HTTP/1.0") { return }
      }
    }
  }

  private func place(_ server: RawServer, defaults: String = "mtime: source") throws -> Workplace {
    try Workplace(server.port, defaults: defaults, "items: [{ref: \"\(server.url("/x").wireText)\", to: x}]")
  }

  @Test func `mirror apply: P47 a 304 without a tag keeps the tag that is known`() async throws {
    let server = try rawServer { request in
      request.field("If-None-Match") == "\"v1\""
        ? "HTTP/1.1 304 Not Modified\r\n\r\n" : "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 3\r\n\r\nabc"
    }
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.apply().report.totals.bytes == 3)
    for _ in 0..<3 {
      let run = try await place.apply()
      #expect(run.report.totals.bytes == 0, "\(run.said)")
      #expect(run.report.totals.unchanged == 1)
    }
  }

  @Test func `mirror apply: P48 without any validator it is fetched, compared, and left alone`() async throws {
    let server = try rawServer { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    }
    defer { server.stop() }
    let place = try place(server)
    #expect(try await place.apply().report.totals.downloaded == 1)
    let before = try place.tree()
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.unchanged == 1)
    #expect(try place.tree() == before)
    let strict = try self.place(server, defaults: "verify: strict")
    #expect(try await strict.apply().failures == ["x": "not_comparable"])
  }

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", nil),
      ("HTTP/1.0 200 OK\r\n\r\nabc", "unverified_length"),
      ("HTTP/1.0 200 OK\r\nx-goog-hash: crc32c=Nks/tw==\r\n\r\nabc", nil),
    ] as [(String, String?)])
  func `mirror apply: P50 a body without a length is taken, and said to be when nothing else proves it`(
    answer: String, warning: String?
  ) async throws {
    let server = try rawServer { _ in answer }
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.text("x") == "abc")
    #expect(try run.item("x").warning == warning)
    #expect(run.said.contains("unverified_length") == (warning != nil))
  }

  @Test(arguments: [1, 2, 3, 5])
  func `mirror apply: no more connections than per_host allows`(limit: Int) async throws {
    let objects = Dictionary(uniqueKeysWithValues: (0..<60).map { ("o/\($0)", Data("\($0)".utf8)) })
    let server = try StorageEmulator.serving(objects, faults: "on media => delay 5ms")
    defer { server.stop() }
    let place = try Workplace(
      server.port, settings: "limits: {jobs: 16, per_host: \(limit)}", "trees: [{ref: \"gs://b/o/\", to: .}]")
    let run = try await place.apply()
    #expect(run.report.totals.downloaded == 60, "\(run.said)")
    #expect(server.connectionCount <= limit)
  }

  @Test(arguments: [
    (limits: "limits: {per_host: 16}", allowed: 1...16), (limits: "limits: {jobs: 20}", allowed: 1...20),
    (limits: "", allowed: 17...128),
  ])
  func `mirror apply: a far host gets more connections, unless a limit is given`(
    limits: String, allowed: ClosedRange<Int>
  ) async throws {
    let objects = Dictionary(uniqueKeysWithValues: (0..<600).map { ("o/\($0)", Data("\($0)".utf8)) })
    let server = try StorageEmulator.serving(objects, faults: "on media => delay 25ms")
    defer { server.stop() }
    let place = try Workplace(server.port, settings: limits, "trees: [{ref: \"gs://b/o/\", to: .}]")
    let run = try await place.apply()
    #expect(run.report.totals.downloaded == 600, "\(run.said)")
    #expect(allowed.contains(server.connectionCount), "\(server.connectionCount)")
  }

  @Test(arguments: [1, 2, 3])
  func `mirror apply --jobs: no more transfers at a time than jobs`(jobs: Int) async throws {
    let running = Lock((now: 0, most: 0))
    let server = try RawServer { connection in
      while connection.readRequest() != nil {
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        usleep(5_000)
        running.withLock { $0.now -= 1 }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    defer { server.stop() }
    let items = (0..<40).map { "  - {ref: \"\(server.url("/\($0)").wireText)\", to: \"\($0)\"}\n" }
    let place = try Workplace(server.port, "items:\n" + items.joined())
    let run = try await place.apply("--jobs", "\(jobs)")
    #expect(run.report.totals.downloaded == 40, "\(run.said)")
    #expect(running.withLock { $0.most } <= jobs)
  }
}
