// Bodies that come short, wrong or from another version: never under the final name, and continued where that is sound.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

/// Where the answer to the first request breaks off in most of these tests; more than a part needs to be worth keeping.
private let breakingPoint = 1_200_000

@Suite(.serialized) struct BrokenTransferTests {
  private static let content = TestBytes.make(2_000_000)
  /// The three ways to ask one server for one object.
  private static let kinds = ["gcs", "firebase", "web"]

  private func place(
    _ server: StorageEmulator, _ kind: String = "gcs", item: String = "", defaults: String = "mtime: source"
  ) throws -> Workplace {
    let reference = kind == "web" ? server.link("big.bin") : "big.bin"
    return try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", defaults: defaults,
      "items: [{ref: \"\(reference)\", to: big.bin\(item)}]")
  }

  @Test(arguments: kinds)
  func `mirror apply: P05 a body that is cut short is continued, not renamed`(kind: String) async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on GET media b/big.bin request 1 => cut \(breakingPoint)")
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=\(breakingPoint)-"])
    let item = try run.item("big.bin")
    #expect(item.attempts.map(\.error) == ["truncated", nil])
    #expect(item.bytes == Self.content.count)
  }

  @Test func `mirror apply: P05 a body that is always short never gets the final name`() async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: "on b/big.bin => cut \(breakingPoint); etag none; generation none; last-modified none")
    defer { server.stop() }
    let place = try place(server, "web", defaults: "retry: {for: 1s, initial: 5ms, max: 50ms}")
    try place.folder.write("old and complete", to: "out/big.bin")
    let run = try await place.apply()
    #expect(run.status == 4, "\(run.said)")
    #expect(place.text("big.bin") == "old and complete")
    #expect(run.failures == ["big.bin": "retry_limit_exceeded"])
    #expect(try place.names() == ["big.bin"])
  }

  @Test func `mirror apply: P06 a short body of a pinned item is called truncated, not tampered with`() async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on b/big.bin => cut \(breakingPoint); etag none; generation none")
    defer { server.stop() }
    let pin = String(repeating: "ab", count: 32)
    let place = try place(
      server, "web", item: ", sha256: \(pin)", defaults: "retry: {for: 300ms, initial: 5ms, max: 50ms}")
    let run = try await place.apply()
    #expect(run.status == 4, "\(run.said)")
    let item = try run.item("big.bin")
    #expect(Set(item.attempts.map(\.error)) == ["truncated"])
    #expect(item.attempts.allSatisfy { $0.bytes == breakingPoint })
    #expect(item.error?.message.contains("\(breakingPoint) of \(Self.content.count)") == true, "\(run.said)")
  }

  @Test func `mirror apply: P07 an empty body is a file only where the source says that it is empty`() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        switch request.target {
        case "/no-length": connection.write("HTTP/1.0 200 OK\r\n\r\n")
        case "/five-promised": connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        default:
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        return
      }
    }
    defer { server.stop() }
    let place = try Workplace(
      server.port, defaults: "retry: {for: 300ms, initial: 5ms, max: 50ms}",
      """
      items:
        - {ref: "\(server.url("/no-length").wireText)", to: no-length}
        - {ref: "\(server.url("/five-promised").wireText)", to: five-promised}
        - {ref: "\(server.url("/empty").wireText)", to: empty}
      """)
    let run = try await place.apply()
    #expect(run.status == 4, "\(run.said)")
    #expect(try place.names() == ["empty"])
    #expect(place.content("empty") == Data())
    for name in ["no-length", "five-promised"] {
      #expect(try run.item(name).attempts.allSatisfy { $0.error == "truncated" }, "\(name)")
    }
  }

  @Test(arguments: kinds)
  func `mirror apply: P10 a range that is ignored replaces the part, in the same request`(kind: String) async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: """
        on GET media b/big.bin request 1 => cut \(breakingPoint)
        on GET media b/big.bin request 2 => range ignore
        """)
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=\(breakingPoint)-"])
  }

  @Test func `mirror apply: P11 a 206 with the whole body starts over in place`() async throws {
    let content = Self.content
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let size = content.count
        if request.field("Range") == nil {
          connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: \(size)\r\n\r\n")
          connection.write([UInt8](content.prefix(breakingPoint)))
          return
        }
        let range = "Content-Range: bytes 0-\(size - 1)/\(size)"
        connection.write("HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\n\(range)\r\nContent-Length: \(size)\r\n\r\n")
        connection.write([UInt8](content))
      }
    }
    defer { server.stop() }
    let place = try Workplace(
      server.port, "items: [{ref: \"\(server.url("/big.bin").wireText)\", to: big.bin}]")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == content)
    #expect(try run.item("big.bin").attempts.map(\.status) == [200, 206])
  }

  @Test(arguments: kinds)
  func `mirror apply: P11 a 206 that ends early is asked on from where it ended`(kind: String) async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: """
        on GET media b/big.bin request 1 => cut \(breakingPoint)
        on GET media b/big.bin request 2 => range short 50000
        """)
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=1200000-", "bytes=1950000-"])
  }

  @Test(arguments: [("P12", "range no-content-range"), ("P13", "range shift 17")])
  func `mirror apply: P12 P13 a 206 of unknown or wrong position starts over without a range`(
    id: String, fault: String
  ) async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: "on b/big.bin request 1 => cut \(breakingPoint)\non b/big.bin request 2 => \(fault)")
    defer { server.stop() }
    let place = try place(server)
    let run = try await place.apply()
    #expect(run.status == 0, "\(id): \(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=\(breakingPoint)-", "-"])
  }

  @Test func `mirror apply: P14 a part that is complete is verified and put in place, without its bytes`() async throws
  {
    // All bytes come, and the end of the body does not: as if the run had been killed before the rename.
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on b/big.bin request 1 => chunked; stall \(Self.content.count)")
    defer { server.stop() }
    let place = try place(server)
    let first = try place.start("apply", "mirror.yaml")
    try await eventually("all bytes are in the part") {
      place.partSizes() == [Self.content.count]
    }
    first.send(signal: SIGKILL)
    #expect(first.wait(for: .seconds(30)) == .signalled(SIGKILL))
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=\(Self.content.count)-"])
    #expect(server.log.last?.status == 416)
    #expect(run.report.totals.bytes == 0)
    #expect(run.report.totals.bytesResumed == Self.content.count)
  }

  @Test(arguments: kinds)
  func `mirror apply: P15 an empty object is an empty file by one request without a range`(kind: String) async throws {
    let server = try StorageEmulator.serving(["big.bin": Data()], faults: "on b/big.bin with Range => status 416")
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Data())
    #expect(server.ranges == ["-"])
  }

  @Test(arguments: kinds)
  func `mirror apply: P16 an object that is replaced in flight is never glued to the old one`(kind: String) async throws
  {
    let replacement = TestBytes.make(Self.content.count, seed: 2)
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: "on GET media b/big.bin request 1 => cut \(breakingPoint); throttle 4MiB/s")
    defer { server.stop() }
    let place = try place(server, kind)
    async let applied = place.apply()
    try await eventually("the first version is being sent") { !server.log.isEmpty }
    server.put("big.bin", replacement)
    let run = try await applied
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == replacement)
    #expect(server.ranges.prefix(2) == ["-", "bytes=\(breakingPoint)-"])
  }

  @Test(arguments: kinds)
  func `mirror apply: P16 bytes of another version under the header of the first are refused`(kind: String) async throws
  {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on GET media b/big.bin request 1 => swap at byte \(breakingPoint)")
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    let item = try run.item("big.bin")
    #expect(item.attempts.map(\.error) == ["checksum_mismatch", nil])
    #expect(item.bytesWasted == Self.content.count)
  }

  @Test func `mirror apply: P17 a server without ranges is asked for one only once, and the waste is counted`()
    async throws
  {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content],
      faults: "on b/big.bin => range ignore\non b/big.bin request 1-3 => cut \(breakingPoint)")
    defer { server.stop() }
    let place = try place(server, "web")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(server.ranges == ["-", "bytes=\(breakingPoint)-", "-", "-"])
    #expect(try run.item("big.bin").bytesWasted == 3 * breakingPoint)
  }

  @Test(arguments: kinds)
  func `mirror apply: P19 a server that closes again and again costs no byte twice`(kind: String) async throws {
    let content = TestBytes.make(6_000_000, seed: 3)
    let server = try StorageEmulator.serving(
      ["big.bin": content], faults: "on GET media b/big.bin => cut 500000")
    defer { server.stop() }
    let place = try place(server, kind)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == content)
    let item = try run.item("big.bin")
    #expect(item.bytes <= content.count * 105 / 100)
    #expect(item.attempts.count == 12)
  }

  @Test func `mirror apply: P20 the next run fetches only the bytes that are missing`() async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on b/big.bin request 1 => stall \(breakingPoint)")
    defer { server.stop() }
    let place = try place(server)
    let first = try place.start("apply", "mirror.yaml")
    try await eventually("the part is there") { place.partSizes() == [breakingPoint] }
    first.send(signal: SIGTERM)
    #expect(first.wait(for: .seconds(30)) == .exited(143))
    #expect(place.partSizes() == [breakingPoint])
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(run.report.totals.bytes == Self.content.count - breakingPoint)
    #expect(run.report.totals.bytesResumed == breakingPoint)
  }

  @Test func `mirror apply: P28 a stalled body is given up after the idle time and continued`() async throws {
    let server = try StorageEmulator.serving(
      ["big.bin": Self.content], faults: "on b/big.bin request 1 => stall \(breakingPoint)")
    defer { server.stop() }
    let place = try place(server, defaults: "timeout: {idle: 1s}")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("big.bin") == Self.content)
    #expect(try run.item("big.bin").attempts.map(\.error) == ["stalled", nil])
    #expect(server.ranges == ["-", "bytes=\(breakingPoint)-"])
  }
}
