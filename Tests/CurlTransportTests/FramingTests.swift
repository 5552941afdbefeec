import CurlTransport
import TestSupport
import Testing
import TransferModel

/// What is delivered for what a server writes, and how the exchange ends.
@Suite struct FramingTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    var method = HTTPRequest.Method.get
    let outcome: String
    var body = ""
    var status: Int? = 200
    var isFramed = true
    var testDescription: String { name }
  }

  static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(arguments: [
    Answer(name: "with a length", bytes: ok("hello"), outcome: "complete", body: "hello"),
    Answer(name: "empty", bytes: ok(""), outcome: "complete"),
    Answer(name: "chunked", bytes: chunked + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", outcome: "complete", body: "hello!"),
    Answer(name: "chunked and empty", bytes: chunked + "0\r\n\r\n", outcome: "complete"),
    Answer(
      name: "ended by closing", bytes: "HTTP/1.1 200 OK\r\n\r\nhello", outcome: "complete", body: "hello",
      isFramed: false),
    Answer(
      name: "ended by closing, HTTP/1.0", bytes: "HTTP/1.0 200 OK\r\n\r\nhello", outcome: "complete", body: "hello",
      isFramed: false),
    Answer(
      name: "cut below its length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", outcome: "truncated",
      body: "hello"),
    Answer(name: "cut within a chunk", bytes: chunked + "5\r\nhel", outcome: "truncated", body: "hel"),
    Answer(name: "cut between chunks", bytes: chunked + "5\r\nhello\r\n", outcome: "truncated", body: "hello"),
    Answer(name: "a chunk size that is none", bytes: chunked + "zz\r\nhello\r\n", outcome: "protocolViolation"),
    Answer(name: "cut within the head", bytes: "HTTP/1.1 200 OK\r\nContent-Le", outcome: "truncated", status: nil),
    Answer(
      name: "cut after an interim head", bytes: "HTTP/1.1 103 Early Hints\r\n\r\n", outcome: "truncated", status: nil),
    Answer(name: "nothing at all", bytes: "", outcome: "emptyReply", status: nil),
    Answer(name: "no HTTP", bytes: "SSH-2.0-OpenSSH_9.2\r\n\r\n", outcome: "protocolViolation", status: nil),
    Answer(
      name: "an answer to HEAD", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method: .head,
      outcome: "complete"),
    Answer(name: "no content", bytes: "HTTP/1.1 204 No Content\r\n\r\n", outcome: "complete", status: 204),
    Answer(name: "not modified", bytes: "HTTP/1.1 304 Not Modified\r\n\r\n", outcome: "complete", status: 304),
    Answer(
      name: "interim heads before the final one",
      bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + ok("hello"),
      outcome: "complete", body: "hello"),
    Answer(
      name: "lengths that differ", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
      outcome: "protocolViolation", status: nil),
    Answer(
      name: "lengths that agree", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      outcome: "complete", body: "hello"),
    Answer(
      name: "a length that is no number", bytes: "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello",
      outcome: "protocolViolation", status: nil),
    Answer(
      name: "a length beyond Int64", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
      outcome: "protocolViolation", status: nil),
    Answer(
      name: "a switch of protocols nobody asked for",
      bytes: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      outcome: "protocolViolation", status: nil),
  ])
  func `a response ends by its framing`(_ answer: Answer) async throws {
    try await withServer(serving: answeringOnce(answer.bytes)) { transport, server in
      let seen = await transport.observe(HTTPRequest(answer.method, server.url("/x")))
      #expect(seen.outcome == answer.outcome)
      #expect(seen.text == answer.body)
      #expect(seen.head?.status == answer.status)
      #expect(seen.end?.bytesReceived == Int64(answer.body.utf8.count))
      if answer.outcome == "complete" { #expect(seen.end?.lengthWasFramed == answer.isFramed) }
      #expect(seen.events == (answer.status == nil ? [] : ["head"]) + (answer.body.isEmpty ? [] : ["bytes"]) + ["end"])
    }
  }

  @Test func `interim fields and trailers are not in the head`() async throws {
    let answer =
      "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + Self.chunked.dropLast(1)
      + "Trailer: X-Late\r\n\r\n2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n"
    try await withServer(serving: answering(answer)) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")))
      #expect(seen.outcome == "complete")
      #expect(seen.head?.fields.all.map(\.name) == ["Transfer-Encoding", "Trailer"])
      #expect(seen.text == "hi")
    }
  }

  @Test func `a head holds its fields in order with blanks trimmed and folds joined`() async throws {
    let answer =
      "HTTP/1.1 200 OK\r\nETag:  \"a b\" \r\nX-Empty:\r\nx-Two: 1\r\nX-TWO: 2\r\nX-Fold: one\r\n  two\r\n"
      + "Content-Length: 0\r\n\r\n"
    try await withServer(serving: answering(answer)) { transport, server in
      let fields = await transport.observe(HTTPRequest(.get, server.url("/"))).head?.fields
      #expect(fields?["etag"] == "\"a b\"")
      #expect(fields?["X-Empty"] == nil)
      #expect(fields?.values("X-Two") == ["1", "2"])
      #expect(fields?["X-Fold"] == "one two")
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect is not followed`(_ status: Int) async throws {
    let answer = "HTTP/1.1 \(status) Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    try await withServer(serving: answering(answer)) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")))
      #expect(seen.outcome == "complete")
      #expect(seen.head?.status == status)
      #expect(seen.head?.fields["Location"] == "/elsewhere")
      #expect(transport.statistics.requestsSent == 1)
    }
  }

  @Test func `a coded body is not decoded`() async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\nno-zip"
    try await withServer(serving: answering(answer)) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")))
      #expect(seen.outcome == "complete")
      #expect(seen.text == "no-zip")
    }
  }

  @Test func `a head of 60 KiB is taken and a flood is refused`() async throws {
    let line = "X-Filler: " + String(repeating: "f", count: 1_000) + "\r\n"
    try await withServer(serving: { connection in
      while let request = connection.readRequest() {
        let count = request.target == "/flood" ? 1_000 : 60
        connection.write("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: count) + "Content-Length: 0\r\n\r\n")
      }
    }) { transport, server in
      let large = await transport.observe(HTTPRequest(.get, server.url("/large")))
      #expect(large.outcome == "complete")
      #expect(large.head?.fields.values("X-Filler").count == 60)
      let flood = await transport.observe(HTTPRequest(.get, server.url("/flood")))
      #expect(flood.outcome == "protocolViolation")
    }
  }

  @Test func `a reset within the body is a reset`() async throws {
    // A reset throws away what is under way, so it waits until the client has read.
    let wasRead = Gate()
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
      wasRead.wait()
      connection.reset()
    }) { transport, server in
      let script = Script(onBytes: { _, _ in
        wasRead.open()
        return .proceed
      })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.outcome == "connectionReset")
      #expect(seen.text == "hello")
    }
  }

  @Test func `a reset before the first byte on a new connection is a reset`() async throws {
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      connection.reset()
    }) { transport, server in
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")))
      #expect(seen.outcome == "connectionReset")
      #expect(seen.head == nil)
    }
  }
}
