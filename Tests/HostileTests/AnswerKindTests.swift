// One body, cut, mislabelled and dressed up in every framing: it arrives whole, or the item fails and nothing is there.

import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct AnswerKindTests {
  private static let size = 1_500_000
  private static let body: [UInt8] = {
    var random = SplitMix64(seed: 3)
    return random.bytes(size)
  }()

  private func apply(
    _ faults: String, kind: String = "web", retryFor: String = "20s", settings: String = ""
  ) async throws -> (Applied, Bench, StorageEmulator) {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 2))
    server.objects.makeBucket("b")
    server.objects.put("b", "f", Self.body)
    try server.play(faults)
    let bench =
      kind == "web"
      ? try Bench(
        [Bench.Item(url: "http://127.0.0.1:\(server.port)/b/f", to: "f")], defaults: "timeout: {idle: 1s}",
        retryFor: retryFor, settings: settings)
      : try Bench(tree: "gs://b/", port: server.port, settings: "defaults: {retry: {for: \(retryFor), initial: 5ms}}")
    return (try await bench.apply(), bench, server)
  }

  // MARK: P05, P11, P19: where it breaks off

  struct Break: CustomTestStringConvertible {
    var framing: String
    var way: String
    var at: Int
    var testDescription: String { "\(framing)\(way) \(at)" }
  }

  /// A stall costs its second, so that one place of each is enough.
  static let breaks: [Break] = ["", "chunked; ", "close-delimited; "].flatMap { framing in
    [0, 1, 65_536, 1_048_577, 1_499_999].flatMap { at in
      [Break(framing: framing, way: "cut", at: at), Break(framing: framing, way: "reset", at: at)]
    } + [Break(framing: framing, way: "stall", at: 1_048_577)]
  }

  /// A body that closing ends is proven by its checksum here: cut, it is wrong, and comes again whole.
  @Test("mirror apply: P05 P19 a body that breaks off anywhere, in any framing, arrives whole", arguments: breaks)
  func breaksOff(_ point: Break) async throws {
    let (run, bench, server) = try await apply("on b/f request 1 => \(point.framing)\(point.way) \(point.at)")
    defer { server.stop() }
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    #expect(run.item("f")?.attempts.count == 2, "\(run.item("f")?.attempts ?? [])")
    #expect(bench.names() == ["f"])
  }

  // MARK: P10 to P15: what is answered to a range

  @Test(
    "mirror apply: P10 P11 P12 P13 P14 P16 whatever is answered to a range, the file is right",
    arguments: [
      "range ignore", "range shift 1", "range shift 17", "range shift 100000", "range short 1", "range short 100000",
      "range no-content-range", "range 416", "range 416 no-total", "chunked; range ignore", "chunked; range shift 17",
      "chunked; range short 1000", "chunked; range no-content-range", "close-delimited; range ignore",
      "close-delimited; range short 1000", "close-delimited; range no-content-range", "swap", "swap; range ignore",
      "etag weak", "etag none; generation none", "status 503", "status 200 body text x", "status 204", "empty-reply",
      "content-encoding gzip",
    ], [1_048_577, 1_499_999])
  func ranges(_ fault: String, _ at: Int) async throws {
    let (run, bench, server) = try await apply("on b/f request 1 => cut \(at)\non b/f request 2 => \(fault)")
    defer { server.stop() }
    let content = bench.content("f")
    // A swap is a replacement, and so is a 200 with another body: both versions are right, and no mixture is.
    let isRight =
      fault.hasPrefix("swap") ? content?.count == Self.size : content == Self.body || content == Array("x".utf8)
    #expect(run.status == 0 ? isRight : content == nil && fault == "status 204", "\(fault): \(run.said)")
    #expect(bench.parts() == [])
  }

  // MARK: Lengths and codings that are not true

  @Test(
    "mirror apply: a length that is not true makes no wrong file",
    arguments: [
      "content-length wrong +1", "content-length wrong +100000", "content-length wrong -1",
      "content-length wrong -100000",
      "content-length 0", "content-length 1",
    ], ["web", "gcs"])
  func lyingLength(_ fault: String, _ kind: String) async throws {
    let (run, bench, server) = try await apply("on media b/f => \(fault)", kind: kind, retryFor: "1s")
    defer { server.stop() }
    // Too long a promise is found out by asking for the rest, of which the server says that there is none.
    let content = bench.content("f")
    let isRight = content.map { $0 == Self.body } ?? (run.status == 3 || run.status == 4)
    #expect(isRight, "\(run.said)")
    #expect((content != nil) == (run.status == 0), "\(run.said)")
  }

  struct Coding: CustomTestStringConvertible {
    var fault: String
    var layers: Int
    var testDescription: String { fault }
  }

  /// What is stored is kept as it is (`content: stored`), and proven as it is: one layer off is the object, or two.
  @Test(
    "mirror apply: a coding that nobody asked for is kept, and proven",
    arguments: [
      Coding(fault: "content-encoding gzip", layers: 1), Coding(fault: "content-encoding double-gzip", layers: 2),
      Coding(fault: "chunked; content-encoding gzip", layers: 1),
    ], ["web", "gcs"])
  func unaskedCoding(_ coding: Coding, _ kind: String) async throws {
    let (run, bench, server) = try await apply("on media b/f => \(coding.fault)", kind: kind, retryFor: "1s")
    defer { server.stop() }
    guard var content = bench.content("f") else {
      #expect(run.status == 3 || run.status == 4, "\(run.said)")
      return
    }
    #expect(run.status == 0)
    for _ in 0..<coding.layers where content != Self.body {
      content = try await ChildProcess.run("gzip", ["-d", "-c"], input: content).standardOutput
    }
    let isRight = content == Self.body
    #expect(isRight, "\(run.said)")
  }

  // MARK: Heads

  @Test(
    "mirror apply: heads before, after and beyond the ordinary change nothing",
    arguments: [
      "informational 100", "informational 102", "informational 103", "chunked; trailer",
      "chunked; trailer; informational 103",
      "huge-header 8000", "header X-Injected: a%0d%0aContent-Length: 1",
      #"add-header Set-Cookie: "a=b; Domain=127.0.0.1""#,
      "keep-alive 1", "keep-alive 1 silent", "header Connection: close",
    ])
  func heads(_ fault: String) async throws {
    let (run, bench, server) = try await apply("on b/f => \(fault)")
    defer { server.stop() }
    #expect(run.status == 0, "\(run.said)")
    #expect(bench.content("f") == Self.body)
    // No cookie comes back.
    #expect(server.log.allSatisfy { $0.fields["Cookie"] == nil })
  }

  static let noise = [
    "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}", "HTTP/1.1 OK\r\n\r\n",
    "HTTP/9.9 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 2_000_000) + "\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 100_000) + "Content-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", "HTTP/1.1 200 OK\r\nContent-Le",
    "HTTP/1.1 200 " + String(repeating: "x", count: 200_000) + "\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX: " + String(repeating: "x", count: 200_000)
      + "\r\n\r\n",
  ]

  @Test("mirror apply: what is no HTTP, or too much of it, ends the item", arguments: noise.indices)
  func broken(_ index: Int) async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(Self.noise[index])
    }
    defer { server.stop() }
    let bench = try Bench([Bench.Item(url: "http://127.0.0.1:\(server.port)/x", to: "f")], retryFor: "200ms")
    let run = try await bench.apply()
    #expect(run.item("f")?.reason != "out_of_memory", "that would end the whole run")
    #expect(run.status == 3 || run.status == 4, "\(Self.noise[index].prefix(60).debugDescription): \(run.said)")
    #expect(bench.names() == [])
  }

  @Test func `mirror apply: P56 a header line without end fails its item and no other`() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let filler = request.target == "/bad" ? "X: " + String(repeating: "x", count: 2_000_000) + "\r\n" : ""
        connection.write("HTTP/1.1 200 OK\r\n\(filler)Content-Length: 4\r\n\r\ngood")
      }
    }
    defer { server.stop() }
    let names = ["bad"] + (0..<60).map { "f\($0)" }
    let bench = try Bench(
      names.map { Bench.Item(url: "http://127.0.0.1:\(server.port)/\($0)", to: $0) }, settings: "limits: {jobs: 1}")
    let run = try await bench.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.item("bad")?.reason == "protocol_violation")
    #expect(bench.names() == names.dropFirst().sorted())
  }

  // MARK: P25, P87: statuses

  @Test(
    "mirror apply: P25 P87 no other status than 200 makes a file",
    arguments: Array(201...208) + [226, 300, 305, 306] + Array(400...418) + [
      421, 422, 423, 424, 425, 426, 428, 429, 431, 451,
    ]
      + Array(500...511) + [520, 599, 600, 999])
  func statuses(_ status: Int) async throws {
    let server = try RawServer { connection in
      while connection.readRequest() != nil {
        connection.write("HTTP/1.1 \(status) X\r\nContent-Length: \(status == 204 ? 0 : 4)\r\n\r\n")
        if status != 204 { connection.write("body") }
      }
    }
    defer { server.stop() }
    let bench = try Bench([Bench.Item(url: "http://127.0.0.1:\(server.port)/x", to: "f")], retryFor: "200ms")
    let run = try await bench.apply()
    #expect([3, 4, 7].contains(run.status), "\(run.said)")
    #expect(bench.names() == [])
    let mayPass = [408, 429, 500, 502, 503, 504].contains(status)
    if !mayPass, run.status != 4 { #expect(run.item("f")?.attempts.count == 1, "asked again for a \(status)") }
    if mayPass { #expect(run.status == 4) }
  }
}
