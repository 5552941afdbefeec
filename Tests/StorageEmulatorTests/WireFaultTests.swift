import Glibc
import StorageEmulator
import Testing

/// Each fault in framing and pace, byte by byte.
struct WireFaultTests {
  private func server(_ script: String) throws -> StorageEmulator {
    let server = try StorageEmulator.holding("a", "other")
    server.objects.put("b", "big", patternOf: 1 << 20)
    try server.play(script)
    return server
  }

  @Test func `O12 a cut body ends early and cleanly`() throws {
    let response = try server("on b/a => cut 5").ask("/b/a")
    #expect(response["Content-Length"] == "9" && response["Connection"] == nil)
    #expect(response.text == "somet" && !response.isComplete && response.end == .closed)
  }

  @Test func `a reset comes after the bytes before it`() throws {
    let server = try server("on b/a => reset 5\non b/big => reset 500000")
    let response = try server.ask("/b/a")
    #expect(response.text == "somet" && response.end == .reset)
    let big = try server.ask("/b/big")
    #expect(big.body.count == 500_000 && big.end == .reset)
  }

  @Test func `an empty reply has not a byte`() throws {
    let server = try server("on b/a => empty-reply")
    let response = try server.ask("/b/a")
    #expect(response.head.isEmpty && response.body.isEmpty && response.end == .closed)
    #expect(server.log.map(\.status) == [nil])
  }

  @Test(arguments: [("wrong +3", "12", false), ("wrong -3", "6", true), ("5GiB", "5368709120", false)])
  func `lengths that are not true`(fault: String, length: String, isComplete: Bool) throws {
    let response = try server("on b/a => content-length \(fault)").ask("/b/a")
    #expect(response["Content-Length"] == length && response.isComplete == isComplete)
    #expect(response.text == (isComplete ? "someth" : "something"))
  }

  @Test func `no length at all, with 1.1 and with 1.0`() throws {
    let none = try server("on b/a => content-length none").ask("/b/a")
    #expect(none["Content-Length"] == nil && none["Transfer-Encoding"] == nil && none.text == "something")
    let old = try server("on b/a => close-delimited").ask("/b/a")
    #expect(old.head.hasPrefix("HTTP/1.0 200 OK") && old["Content-Length"] == nil && old.text == "something")
  }

  @Test func `chunks, whole, with a trailer, and cut`() throws {
    let whole = try server("on b/big => chunked").ask("/b/big")
    #expect(whole["Transfer-Encoding"] == "chunked" && whole.body.count == 1 << 20 && whole.isComplete)
    let trailer = try server("on b/a => trailer").ask("/b/a")
    #expect(trailer["Trailer"] == "X-Trailer" && trailer.trailer == "X-Trailer: sent after the body")
    let cut = try server("on b/a => chunked; cut 4").ask("/b/a")
    #expect(cut.text == "some" && !cut.isComplete)
  }

  @Test func `a head of 1xx comes before the answer`() throws {
    let response = try server("on b/a => informational 103").ask("/b/a")
    #expect(response.interim.count == 1 && response.interim[0].hasPrefix("HTTP/1.1 103 Early Hints"))
    #expect(response.status == 200 && response.text == "something")
  }

  @Test func `garbage is no HTTP`() throws {
    let response = try server("on b/a => garbage").ask("/b/a")
    #expect(response.head.isEmpty && response.end == .closed)
  }

  @Test func `a stall ends after its time`() throws {
    let server = try server("on b/a => stall 4 for 150ms")
    let started = ContinuousClock.now
    let response = try server.ask("/b/a")
    #expect(response.text == "something" && response.isComplete)
    #expect(ContinuousClock.now - started >= .milliseconds(140))
  }

  @Test func `stalls without end hold no one else up, and end with the server`() throws {
    let server = try server("on b/a => stall 4")
    let stalled = try (0..<20).map { _ in try RawClient(port: server.port) }
    for client in stalled { client.send("GET", "/b/a") }
    let quick = try RawClient(port: server.port)
    for _ in 0..<20 { #expect(quick.exchange("GET", "/b/other").status == 200) }
    let started = ContinuousClock.now
    server.stop()
    #expect(ContinuousClock.now - started < .seconds(1))
  }

  @Test func `throttled bodies take their time`() throws {
    let server = try server("on b/a => throttle 50B/s")
    let started = ContinuousClock.now
    #expect(try server.ask("/b/a").text == "something")
    #expect(ContinuousClock.now - started >= .milliseconds(150))
  }

  @Test func `keep-alive ends after N requests, said or unsaid`() throws {
    let server = try server("on b/a => keep-alive 2")
    let client = try RawClient(port: server.port)
    #expect(client.exchange("GET", "/b/a")["Connection"] == nil)
    #expect(client.exchange("GET", "/b/a")["Connection"] == "close")
    #expect(client.peerCloses())
    try server.faults.set("on b/a => keep-alive 2 silent")
    let other = try RawClient(port: server.port)
    #expect(other.exchange("GET", "/b/a").status == 200)
    let last = other.exchange("GET", "/b/a")
    #expect(last["Connection"] == nil && last.text == "something")
    #expect(other.peerCloses())
  }

  @Test func `a body beyond 4 GiB is there, from any offset`() throws {
    let server = try server("put b huge size 5GiB seed 3")
    let response = try server.ask("/b/huge", "Range: bytes=5368709110-")
    #expect(response.status == 206 && response["Content-Range"] == "bytes 5368709110-5368709119/5368709120")
    #expect(response.body.count == 10 && response["x-goog-hash"] == nil)
    #expect(try server.ask("/b/huge", method: "HEAD")["Content-Length"] == "5368709120")
  }

  @Test func `faults add up`() throws {
    let server = try server(
      """
      on b/a => etag none; cut 2
      on b/a request 2 => cut 7
      """)
    let first = try server.ask("/b/a")
    let second = try server.ask("/b/a")
    #expect(first["ETag"] == nil && first.text == "so")
    #expect(second["ETag"] == nil && second.text == "somethi")
  }
}
