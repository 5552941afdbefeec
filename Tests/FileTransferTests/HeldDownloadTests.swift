// A download that is held and goes on, in virtual time: what is asked for then, and what becomes of the bytes.

import FileTransfer
import TestSupport
import Testing
import TransferModel

/// One download that is held at 1 s and treated further at 2 s.
private struct HeldRun {
  enum Then: Sendable { case resume, cancel, pauseAgainThenResume }

  var result: DownloadResult?
  var requests: [HTTPRequest]
  var kept: [Int64]
  var sink: RecordingSink
  var advances: [String]

  init(
    _ answers: [ScriptedAnswer], then: Then = .resume, configure: (inout DownloadSpec) -> Void = { _ in }
  ) throws {
    let transport = ScriptedTransport(answers)
    let services = TransferServices(transport: transport, clocks: FixedClocks(random: 0), redact: { $0 })
    let sink = Lock(RecordingSink([]))
    let ended = Lock<DownloadResult?>(nil)
    let kept = Lock<[Int64]>([]), advances = Lock<[String]>([])
    var spec = DownloadSpec(
      endpoints: [WebEndpoint(try HTTPURL(parsing: DownloadHarness.url))],
      owner: ClosureOwner { algorithms throws(TransferFailure) in
        let sink = sink.withLock { $0 }
        try sink.open(algorithms)
        return sink
      })
    spec.closures.onAdvance = { position, total in
      advances.withLock { $0.append("\(position)/\(total.map { "\($0)" } ?? "?")") }
    }
    configure(&spec)
    let final = Shared(spec)
    transport.run(onLoop: 0) { loop in
      let download = ObjectDownload(final, services: services, loop: loop) { result in
        ended.withLock { earlier in
          precondition(earlier == nil, "a download completes once")
          earlier = result
        }
      }
      let note: (Int64) -> Void = { position in kept.withLock { $0.append(position) } }
      loop.schedule(after: .seconds(1)) { download.pause(note) }
      loop.schedule(after: .seconds(2)) {
        switch then {
        case .resume: download.resume()
        case .cancel: download.cancel()
        case .pauseAgainThenResume:
          download.pause(note)
          download.resume()
          download.resume()
        }
      }
      download.start()
    }
    transport.drive()
    result = ended.withLock { $0 }
    requests = transport.requests
    self.kept = kept.withLock { $0 }
    self.sink = sink.withLock { $0 }
    self.advances = advances.withLock { $0 }
  }

  var ranges: [String] { requests.map { $0.fields["Range"] ?? "" } }

  var failure: TransferFailure? {
    if case .failed(let failure)? = result?.ending { return failure }
    return nil
  }
}

@Suite("A held download")
struct HeldDownloadTests {
  private static let content = DownloadHarness.content
  private static let tag = ("ETag", "\"v1\"")

  /// Stops after ten bytes for an hour.
  private static func slow(_ fields: [(String, String)] = [tag]) -> ScriptedAnswer {
    var answer = ScriptedAnswer.status(200, fields, body: Array(content[..<10]), length: Int64(content.count))
    answer.steps.append(.wait(.seconds(3_600)))
    return answer
  }

  private static func tail(_ fields: [(String, String)] = [tag]) -> ScriptedAnswer {
    .status(
      206, [("Content-Range", "bytes 10-\(content.count - 1)/\(content.count)")] + fields, body: Array(content[10...]))
  }

  @Test(
    "J04 J05: keeps what it has, however little, and asks for the rest",
    arguments: [HeldRun.Then.resume, .pauseAgainThenResume])
  private func resumed(then: HeldRun.Then) throws {
    let run = try HeldRun([Self.slow(), Self.tail()], then: then)
    #expect(run.kept == [10])
    #expect(run.ranges == ["", "bytes=10-"])
    #expect(run.requests.last?.fields["If-Range"] == "\"v1\"")
    #expect(run.sink.bytes == Self.content && run.sink.events == ["open", "commit"])
    #expect(run.advances == ["10/43", "43/43"])
  }

  @Test("without a validator it begins anew")
  func noValidator() throws {
    let run = try HeldRun([Self.slow([]), .status(200, body: Self.content)])
    #expect(run.ranges == ["", ""])
    #expect(run.sink.bytes == Self.content && run.sink.events == ["open", "restart", "commit"])
  }

  @Test("J16: what was replaced meanwhile comes whole")
  func replaced() throws {
    let new = Array("something else entirely".utf8)
    let run = try HeldRun([
      Self.slow([("x-goog-generation", "1")]), Self.tail([("x-goog-generation", "2")]),
      .status(200, [("x-goog-generation", "2")], body: new),
    ])
    #expect(run.ranges == ["", "bytes=10-", ""])
    #expect(run.sink.bytes == new && run.sink.fate == "commit")
  }

  @Test("what was replaced by something that is stored as gzip gets a sink of its own")
  func replacedByGzip() throws {
    let run = try HeldRun([
      Self.slow([("x-goog-generation", "1")]), Self.tail([("x-goog-generation", "2")]),
      .status(
        200,
        [
          ("x-goog-generation", "2"), ("x-goog-stored-content-encoding", "gzip"), ("Content-Encoding", "gzip"),
        ], body: [1, 2, 3]),
    ])
    #expect(run.sink.events == ["open", "restart", "discard", "open", "commit"])
    #expect(run.sink.bytes == [1, 2, 3])
  }

  @Test("J06: cancelled while it is held, its bytes go", arguments: [true, false])
  func cancelled(keepsParts: Bool) throws {
    let run = try HeldRun([Self.slow()], then: .cancel) { $0.terms.keepsParts = keepsParts }
    #expect(run.failure?.reason == .cancelled)
    #expect(run.sink.fate == "discard")
    #expect(run.requests.count == 1)
  }

  @Test("parts that are large enough are parked, unless no later run will want them", arguments: [true, false])
  func parked(keepsParts: Bool) throws {
    let large = [UInt8](repeating: 7, count: Int(DownloadSpec.resumableBytes))
    var answer = ScriptedAnswer.status(200, [Self.tag], body: large, length: 1 << 30)
    answer.steps.append(.wait(.seconds(3_600)))
    let run = try HeldRun([answer], then: .cancel) { $0.terms.keepsParts = keepsParts }
    #expect(run.sink.fate == (keepsParts ? "park" : "discard"))
    #expect((run.result?.parked != nil) == keepsParts)
  }

  @Test("held while it waits to try again, it does not try until it goes on")
  func duringWait() throws {
    let run = try HeldRun([.status(503, [("Retry-After", "1800")]), .status(200, body: Self.content)]) {
      $0.terms.retry.budget = .seconds(7_200)
    }
    #expect(run.kept == [0])
    #expect(run.requests.count == 2)
    #expect(run.sink.bytes == Self.content && run.sink.fate == "commit")
  }

  @Test("a download that has ended is not held")
  func ended() throws {
    let run = try HeldRun([.status(200, body: Self.content)])
    #expect(run.kept.isEmpty && run.requests.count == 1)
    #expect(run.sink.fate == "commit")
  }

  @Test("H02 H03: the size that was too much is told: as declared, else as it came")
  func excess() throws {
    let declared = try HeldRun([.status(200, body: Self.content)]) { $0.terms.maxSize = 20 }
    #expect(declared.failure?.reason == .sizeLimitExceeded && declared.result?.excessSize == 43)
    #expect(declared.sink.events.isEmpty, "nothing was read")
    let head = HTTPResponseHead(status: 200)
    let unknown = try HeldRun([
      ScriptedAnswer([.head(head), .bytes(Array(Self.content[..<15])), .bytes(Array(Self.content[15..<30]))])
    ]) { $0.terms.maxSize = 20 }
    #expect(unknown.failure?.reason == .sizeLimitExceeded && unknown.result?.excessSize == 30)
    #expect(unknown.sink.bytes.count == 15)
  }
}
