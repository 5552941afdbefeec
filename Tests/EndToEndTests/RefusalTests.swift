// Servers that say no, or later: reasons, exit statuses, Firebase's names, how often they are asked, and where secrets go.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing
import TransferModel

/// Little patience, for answers that never get better.
private let impatient = "retry: {for: 300ms, initial: 5ms, max: 20ms}"

@Suite(.serialized) struct RefusalTests {
  /// firebase-storage.md 9.2 and 16, google-cloud-storage.md 11.2.
  struct Answer: Sendable, CustomTestStringConvertible {
    var status: Int
    var reason: String
    var code: String
    var exit: Int32
    var testDescription: String { "\(status)" }
  }

  static let answers = [
    Answer(status: 400, reason: "invalid_request", code: "unknown", exit: 3),
    Answer(status: 401, reason: "unauthenticated", code: "unauthenticated", exit: 7),
    Answer(status: 402, reason: "quota_exceeded", code: "quotaExceeded", exit: 3),
    Answer(status: 403, reason: "unauthorized", code: "unauthorized", exit: 3),
    Answer(status: 404, reason: "not_found", code: "objectNotFound", exit: 3),
    Answer(status: 410, reason: "not_found", code: "objectNotFound", exit: 3),
    Answer(status: 412, reason: "precondition_failed", code: "unknown", exit: 3),
    Answer(status: 429, reason: "retry_limit_exceeded", code: "retryLimitExceeded", exit: 4),
    Answer(status: 500, reason: "retry_limit_exceeded", code: "retryLimitExceeded", exit: 4),
    Answer(status: 501, reason: "server_error", code: "retryLimitExceeded", exit: 3),
    Answer(status: 503, reason: "retry_limit_exceeded", code: "retryLimitExceeded", exit: 4),
  ]

  @Test(arguments: ["gcs", "firebase", "web"], ["json-gcs", "json-firebase", "html", "xml", "empty"])
  func `mirror apply: P25 each status has its reason, its Firebase name and its number of requests`(
    kind: String, body: String
  ) async throws {
    let server = try StorageEmulator.serving(
      Dictionary(uniqueKeysWithValues: Self.answers.map { ("s\($0.status)", Data("x".utf8)) }),
      faults: Self.answers.map { "on media b/s\($0.status) => status \($0.status) body \(body)" }.joined(
        separator: "\n"))
    defer { server.stop() }
    let items = Self.answers.map { answer in
      let name = "s\(answer.status)"
      return "  - {ref: \"\(kind == "web" ? server.link(name) : name)\", to: \(name)}"
    }
    let place = try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", defaults: impatient,
      "items:\n" + items.joined(separator: "\n"))
    let run = try await place.apply()
    #expect(run.status == 7)
    #expect(run.report.exit.code == 7)
    #expect(Set(run.report.exit.reasons.map(\.code)) == [3, 4, 7])
    #expect(run.report.addsUp)
    #expect(try place.names() == [])
    for answer in Self.answers {
      let item = try run.item("s\(answer.status)")
      #expect(item.reason == answer.reason, "\(answer.status)")
      #expect(item.error?.name == answer.reason, "\(answer.status)")
      #expect(item.error?.code == answer.code, "\(answer.status)")
      #expect(item.httpStatus == answer.status)
      let asked = server.log.count { $0.target.contains("s\(answer.status)") }
      // How often the others fit into so short a time depends on the machine.
      if answer.exit != 4 { #expect(asked == 1, "\(answer.status) was asked for \(asked) times") }
    }
  }

  @Test(arguments: ["gcs", "firebase", "web"])
  func `mirror apply: P25 what may pass is asked for again, until it does`(kind: String) async throws {
    let statuses = [408, 429, 500, 502, 503, 504]
    let server = try StorageEmulator.serving(
      Dictionary(uniqueKeysWithValues: statuses.map { ("s\($0)", Data("\($0)".utf8)) }),
      faults: statuses.map { "on media b/s\($0) request 1-2 => status \($0) body html" }.joined(separator: "\n"))
    defer { server.stop() }
    let items = statuses.map { "  - {ref: \"\(kind == "web" ? server.link("s\($0)") : "s\($0)")\", to: s\($0)}" }
    let place = try Workplace(
      server.port, api: kind == "firebase" ? "firebase" : "gcs", "items:\n" + items.joined(separator: "\n"))
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(run.report.totals.retries == 2 * statuses.count)
    for status in statuses {
      #expect(place.text("s\(status)") == "\(status)")
      #expect(try run.item("s\(status)").attempts.map(\.status) == [status, status, 200])
    }
  }

  @Test(arguments: answers)
  func `mirror apply: one refused item decides the exit status`(answer: Answer) async throws {
    let server = try StorageEmulator.serving(
      ["good": Data("good".utf8), "bad": Data()], faults: "on media b/bad => status \(answer.status)")
    defer { server.stop() }
    let place = try Workplace(
      server.port, defaults: impatient, "items: [{ref: bad, to: bad}, {ref: good, to: good}]")
    let run = try await place.apply()
    #expect(run.status == answer.exit, "\(run.said)")
    #expect(run.report.exit.reasons == [.init(code: answer.exit, reason: answer.reason, count: 1)])
    #expect(place.text("good") == "good")
  }

  @Test func `mirror apply: a login page that comes with 200 for a pinned item is refused`() async throws {
    let page = "<!DOCTYPE html><title>Log in</title>"
    let server = try StorageEmulator.serving(["app.tgz": Data(page.utf8)])
    defer { server.stop() }
    let place = try Workplace(
      server.port,
      "items: [{ref: \"\(server.link("app.tgz"))\", to: app.tgz, sha256: \(String(repeating: "0f", count: 32))}]")
    try place.folder.write("the last good one", to: "out/app.tgz")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["app.tgz": "checksum_mismatch"])
    #expect(try run.item("app.tgz").error?.code == "nonMatchingChecksum")
    #expect(place.text("app.tgz") == "the last good one")
    #expect(server.requests.count == 2, "one clean attempt more, and no third")
  }

  @Test(arguments: ["gcs", "firebase"])
  func `mirror apply: a login page that comes with 200 for an object of a bucket is refused`(api: String) async throws {
    let server = try StorageEmulator.serving(["app.tgz": Data("new".utf8)])
    defer { server.stop() }
    try server.play("on b/app.tgz => status 200 body html")
    let place = try Workplace(server.port, api: api, "items: [{ref: app.tgz, to: app.tgz}]")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["app.tgz": "unexpected_content"])
    #expect(place.text("app.tgz") == nil)
  }

  @Test(arguments: [
    ("status 203", "unexpected_status"), ("status 204", "unexpected_status"), ("status 205", "unexpected_status"),
    ("range always-206", "unexpected_status"), ("status 404 body bytes 20000", "not_found"),
    ("status 503 body bytes 20000", "retry_limit_exceeded"), ("status 502 body html", "retry_limit_exceeded"),
  ])
  func `mirror apply: P87 only a 200 brings a file, and 2 KiB of an error are kept`(
    fault: String, reason: String
  ) async throws {
    let server = try StorageEmulator.serving(["x": Data("content".utf8)], faults: "on media b/x => \(fault)")
    defer { server.stop() }
    let place = try Workplace(server.port, defaults: impatient, "items: [{ref: \"\(server.link("x"))\", to: x}]")
    let run = try await place.apply()
    #expect(run.status != 0)
    #expect(run.failures == ["x": reason])
    #expect(try place.names() == [])
    #expect((try run.item("x").error?.body ?? "").utf8.count <= 2_048)
  }

  @Test func `mirror apply: P23 Retry-After holds back its own host and no other`() async throws {
    let asking = try StorageEmulator.serving(
      ["x": Data("x".utf8)], faults: "on media b/x request 1 => status 429 retry-after 2")
    let other = try StorageEmulator.serving(["y": Data("y".utf8)])
    defer {
      asking.stop()
      other.stop()
    }
    let place = try Workplace(
      asking.port, "items: [{ref: x, to: x}, {ref: \"\(other.link("y"))\", to: y}]")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    let times = asking.log.map(\.time)
    try #require(times.count == 2)
    #expect(times[1] - times[0] >= .milliseconds(1_990))
    #expect(try #require(other.log.first).time - times[0] < .seconds(2))
    #expect(try run.item("x").attempts.first?.wait ?? 0 >= 1.9)
  }

  @Test func `mirror apply: P56 one item that is always 500 stops no other`() async throws {
    let objects = Dictionary(uniqueKeysWithValues: (0..<200).map { ("o/\($0)", Data("\($0)".utf8)) })
    let server = try StorageEmulator.serving(objects, faults: "on media b/o/3 => status 500")
    defer { server.stop() }
    let place = try Workplace(server.port, defaults: impatient, "trees: [{ref: \"gs://b/o/\", to: .}]")
    let run = try await place.apply()
    #expect(run.status == 4, "\(run.said)")
    #expect(run.report.totals.downloaded == 199)
    #expect(run.report.totals.failed == 1)
  }

  @Test func `mirror apply --fail-fast: P56 stops at the first failure`() async throws {
    let objects = Dictionary(uniqueKeysWithValues: (0..<200).map { ("o/\($0)", Data("\($0)".utf8)) })
    let server = try StorageEmulator.serving(
      objects, faults: "on media b/o/* => delay 10ms\non media b/o/0 => delay 0ms; status 404")
    defer { server.stop() }
    let place = try Workplace(server.port, "trees: [{ref: \"gs://b/o/\", to: .}]")
    let run = try await place.apply("--fail-fast", "--jobs", "2")
    #expect(run.status == 3, "\(run.said)")
    #expect(run.report.totals.failed == 1)
    #expect(run.report.totals.skipped > 0)
    #expect(run.report.addsUp)
    #expect(run.report.totals.items == 200)
  }

  @Test func `mirror apply: P35 a secret does not follow a redirect to another host`() async throws {
    let store = try StorageEmulator.serving(
      ["x": Data("signed".utf8)], faults: "on b/x with Authorization => status 400")
    let front = try StorageEmulator.serving(
      ["x": Data()],
      faults: """
        on b/x
          redirect 302 http://localhost:\(store.port)/b/x?X-Goog-Signature=c0ffee
          auth require "Bearer s3cret-t0ken"
        """)
    defer {
      store.stop()
      front.stop()
    }
    let place = try Workplace(
      front.port,
      settings: """
        auth: [{host: "http://127.0.0.1:\(front.port)", header: Authorization, value: {prefix: "Bearer ", env: TOKEN}}]
        """, "items: [{ref: \"\(front.link("x"))\", to: x}]")
    let run = try await place.apply("-v", environment: ["TOKEN": "s3cret-t0ken"])
    #expect(run.status == 0, "\(run.said)")
    #expect(place.text("x") == "signed")
    #expect(front.log.map { $0.fields["Authorization"] } == ["Bearer s3cret-t0ken"])
    #expect(store.log.map { $0.fields["Authorization"] } == [nil])
    // P43: neither the token nor the signature is said anywhere.
    let said = run.said + run.result.outputText + (try place.folder.readText("report.json"))
    #expect(!said.contains("s3cret"))
    #expect(!said.contains("c0ffee"))
  }

  @Test(arguments: ["redirect 302 loop", "redirect 302 http://127.0.0.1:{port}{target}?more"])
  func `mirror apply: P37 a redirect that never ends is given up after ten, for good`(fault: String) async throws {
    let server = try StorageEmulator.serving(["x": Data()], faults: "on b/x => \(fault)")
    defer { server.stop() }
    let place = try Workplace(server.port, "items: [{ref: \"\(server.link("x"))\", to: x}]")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["x": "too_many_redirects"])
    #expect(server.requests.count <= 11)
  }

  @Test func `mirror apply: P81 wrong content at one mirror moves on to the next`() async throws {
    let good = TestBytes.make(1_000)
    let bad = try StorageEmulator.serving(["x": TestBytes.make(1_000, seed: 9)])
    let right = try StorageEmulator.serving(["x": good])
    defer {
      bad.stop()
      right.stop()
    }
    let closed = try LoopbackSocket.freePort()
    let sum = try await ChildProcess.run("sha256sum", input: [UInt8](good)).outputText.prefix(64)
    let place = try Workplace(
      bad.port, defaults: impatient,
      """
      items:
        - ref: ["http://127.0.0.1:\(closed)/x", "\(bad.link("x"))", "\(right.link("x"))"]
          to: x
          sha256: \(sum)
      """)
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.content("x") == good)
    let item = try run.item("x")
    #expect(item.servedBy == right.link("x"))
    #expect(item.attempts.map(\.error) == ["connection_refused", "checksum_mismatch", nil])
  }

  @Test func `mirror apply: P85 each way not to get there has its own reason`() async throws {
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    let closed = try LoopbackSocket.freePort()
    let place = try Workplace(
      server.port, defaults: impatient,
      """
      items:
        - {ref: "http://127.0.0.1:\(closed)/x", to: refused}
        - {ref: "https://127.0.0.1:\(server.port)/x", to: tls}
        - {ref: "http://\(String(repeating: "n", count: 70)).invalid/x", to: name}
      """)
    let run = try await place.apply()
    #expect(run.status != 0)
    #expect(run.report.totals.failed == 3)
    #expect(try run.item("refused").attempts.first?.error == "connection_refused")
    #expect(try run.item("tls").attempts.first?.error == "tls")
    #expect(try run.item("name").attempts.first?.error == "name_not_found")
  }

  @Test func `mirror apply --retry-for 1s: P94 without a network it gives up in time and says why`() async throws {
    let closed = try LoopbackSocket.freePort()
    let place = try Workplace(closed, "items: [{ref: x, to: x}, {ref: y, to: y}]")
    let start = ContinuousClock.now
    let run = try await place.apply("--retry-for", "1s")
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(run.status == 4)
    #expect(run.failures == ["x": "retry_limit_exceeded", "y": "retry_limit_exceeded"])
    #expect(run.said.contains("refused"))
    let help = try await place.mirror("apply", "--help")
    #expect(help.outputText.contains("10m"), "the default time is stated")
  }
}
