// One download against scripted answers: what is asked, what is kept, what is reported.

import FileTransfer
import TestSupport
import Testing
import TransferModel

@Suite("One download")
struct ObjectDownloadTests {
  private let content = DownloadHarness.content
  private var length: Int64 { Int64(content.count) }
  private let tag = ("ETag", "\"v1\"")

  private func tail(from offset: Int, total: Int? = nil, _ fields: [(String, String)] = []) -> ScriptedAnswer {
    .status(
      206,
      [("Content-Range", "bytes \(offset)-\(content.count - 1)/\(total ?? content.count)"), tag] + fields,
      body: Array(content[offset...]))
  }

  private func cut(at offset: Int, _ fields: [(String, String)]) -> ScriptedAnswer {
    ScriptedAnswer.status(200, fields, body: Array(content[..<offset]), length: length).thenFailing(.truncated)
  }

  @Test("a whole answer is verified and committed") func whole() throws {
    let run = try DownloadHarness.run([
      .status(200, [("x-goog-hash", "crc32c=\(DownloadHarness.crc32c)"), ("x-goog-generation", "5")], body: content)
    ])
    #expect(run.stored?.evidence == .serverDigest)
    #expect(run.stored?.version.generation == 5)
    #expect(run.sink.bytes == content)
    #expect(run.sink.events == ["open", "commit"])
    #expect(run.requests[0].fields["Accept-Encoding"] == "identity")
    #expect(run.ranges == [""])
  }

  @Test("P05: a short body is truncated, retried, continued, and never committed short") func truncated() throws {
    let run = try DownloadHarness.run([cut(at: 10, [tag]), tail(from: 10)])
    #expect(run.stored != nil)
    #expect(run.sink.bytes == content)
    #expect(run.ranges == ["", "bytes=10-"])
    #expect(run.requests[1].fields["If-Range"] == "\"v1\"")
    #expect(run.result.attempts.map { $0.failure?.reason } == [.truncated, nil])
  }

  @Test("progress is told of to the last byte, whether the body is whole or cut", arguments: [false, true])
  func progress(isCut: Bool) throws {
    let bytes = [UInt8](repeating: 7, count: 3 << 14)
    let progress = TransferProgress()
    let positions = Lock<[Int64]>([])
    var answer = ScriptedAnswer.status(200, body: bytes, length: Int64(bytes.count) + (isCut ? 1 : 0))
    if isCut { answer = answer.thenFailing(.truncated) }
    _ = try DownloadHarness.run([answer]) {
      $0.terms.progress = progress
      $0.closures.onAdvance = { position, _ in positions.withLock { $0.append(position) } }
      $0.terms.retry.budget = .zero
    }
    #expect(progress.bytes == Int64(bytes.count))
    #expect(positions.withLock { $0.last } == Int64(bytes.count))
  }

  @Test("P06: length is judged before the pinned digest") func lengthFirst() throws {
    let run = try DownloadHarness.run([ScriptedAnswer.status(200, body: Array(content[..<10]), length: length)]) {
      $0.pins.digests.sha256 = Digest(.sha256, bytes: [UInt8](repeating: 1, count: 32))
      $0.terms.retry.budget = .zero
    }
    #expect(run.result.attempts.first?.failure?.reason == .truncated)
    #expect(run.sink.fate != "commit")
  }

  @Test("P07: an empty body without a length is no file") func emptyWithoutProof() throws {
    var answer = ScriptedAnswer([.head(HTTPResponseHead(status: 200))])
    answer.isFramed = false
    let run = try DownloadHarness.run([answer]) { $0.terms.retry.budget = .zero }
    #expect(run.result.attempts.first?.failure?.reason == .truncated)
    #expect(run.sink.fate == "discard")
  }

  @Test("P15: an empty object with a length is an empty file, asked for without a range") func empty() throws {
    let run = try DownloadHarness.run([.status(200)])
    #expect(run.stored?.size == 0)
    #expect(run.ranges == [""])
  }

  @Test("P10: 200 to a ranged request starts over in the same attempt") func rangeIgnored() throws {
    let run = try DownloadHarness.run([cut(at: 20, [tag]), .status(200, [tag], body: content)])
    #expect(run.sink.bytes == content)
    #expect(run.requests.count == 2)
    #expect(run.sink.events == ["open", "restart", "commit"])
  }

  @Test("P11a: a 206 that has everything starts over") func whole206() throws {
    let run = try DownloadHarness.run([cut(at: 20, [tag]), tail(from: 0)])
    #expect(run.sink.bytes == content)
    #expect(run.stored != nil)
  }

  @Test("P11b: an honest short 206 is kept and the rest is asked for") func short206() throws {
    let short = ScriptedAnswer.status(
      206, [("Content-Range", "bytes 20-29/\(content.count)"), tag], body: Array(content[20..<30]))
    let run = try DownloadHarness.run([cut(at: 20, [tag]), short, tail(from: 30)])
    #expect(run.sink.bytes == content)
    #expect(run.ranges == ["", "bytes=20-", "bytes=30-"])
  }

  @Test("P12, P13: a 206 of unknown or wrong position is dropped; the retry has no range", arguments: [nil, 37])
  func wrongPosition(offset: Int?) throws {
    let fields = offset.map { [("Content-Range", "bytes \($0)-\(content.count - 1)/\(content.count)"), tag] } ?? [tag]
    let wrong = ScriptedAnswer.status(206, fields, body: content)
    let run = try DownloadHarness.run([cut(at: 20, [tag]), wrong, .status(200, [tag], body: content)])
    #expect(run.sink.bytes == content)
    #expect(run.ranges == ["", "bytes=20-", ""])
  }

  @Test("P14: 416 with our length is a complete file") func complete() throws {
    let version = ObjectVersion(etag: "\"v1\"", size: length)
    let run = try DownloadHarness.run(
      [.status(416, [("Content-Range", "bytes */\(content.count)")])], part: (content, version))
    #expect(run.stored?.size == length)
    #expect(run.result.bytesReceived == 0)
    #expect(run.result.bytesResumed == length)
    #expect(run.ranges == ["bytes=\(content.count)-"])
  }

  @Test("P16: another version in answer to a range is never glued on") func replaced() throws {
    let other = ScriptedAnswer.status(
      206, [("Content-Range", "bytes 20-42/43"), ("ETag", "\"v2\"")], body: Array(content[20...]))
    let new = Array(content.reversed())
    let run = try DownloadHarness.run([cut(at: 20, [tag]), other, .status(200, [("ETag", "\"v2\"")], body: new)])
    #expect(run.sink.bytes == new)
    #expect(run.stored?.version.etag == "\"v2\"")
    #expect(run.result.attempts.map { $0.failure?.reason } == [.truncated, .changedDuringTransfer, nil])
  }

  @Test("P17: a host that ignores ranges is not asked for one again") func hostMemory() throws {
    let hosts = HostMemory()
    _ = try DownloadHarness.run(
      ScriptedTransport([cut(at: 20, [tag]), .status(200, [tag], body: content)]), hosts: hosts)
    let second = try DownloadHarness.run(
      ScriptedTransport([cut(at: 20, [tag]), .status(200, [tag], body: content)]), hosts: hosts)
    #expect(second.ranges == ["", ""])
    #expect(second.sink.bytes == content)
  }

  @Test("P17: without a strong validator a transfer starts over and still ends right") func weak() throws {
    let weakTag = ("ETag", "W/\"v1\"")
    let run = try DownloadHarness.run([cut(at: 20, [weakTag]), .status(200, [weakTag], body: content)])
    #expect(run.ranges == ["", ""])
    #expect(run.sink.bytes == content)
  }

  @Test("P19: a transfer that is cut again and again never asks for a byte twice") func cutAgainAndAgain() throws {
    let content = content
    let transport = ScriptedTransport { request, _ in
      let offset = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let end = min(offset + 5, content.count)
      let head = HTTPResponseHead(
        status: offset == 0 ? 200 : 206,
        fields: HTTPFields([
          .init("ETag", "\"v1\""), .init("Content-Range", "bytes \(offset)-\(content.count - 1)/\(content.count)"),
        ]), contentLength: Int64(content.count - offset))
      let steps: [ScriptedAnswer.Step] = [.head(head), .bytes(Array(content[offset..<end]))]
      return ScriptedAnswer(end == content.count ? steps : steps + [.fail(.connectionReset)])
    }
    let run = try DownloadHarness.run(transport)
    #expect(run.sink.bytes == content)
    #expect(run.result.bytesReceived == length)
    #expect(run.requests.count == 9)
  }

  @Test("N11, Q15: wrong bytes are fetched once more and then refused; nothing is committed") func checksum() throws {
    let run = try DownloadHarness.run([
      .status(200, [("x-goog-hash", "crc32c=AAAAAA==")], body: content)
    ])
    #expect(run.failure?.reason == .checksumMismatch)
    #expect(run.requests.count == 2)
    #expect(run.sink.fate == "discard")
  }

  @Test("W12: a pinned digest that differs is refused, and both values are told") func pin() throws {
    let run = try DownloadHarness.run([.status(200, body: content)]) {
      $0.pins.digests.crc32c = Digest(crc32c: 0xDEAD_BEEF)
    }
    #expect(run.failure?.reason == .checksumMismatch)
    #expect(run.failure?.message.contains("deadbeef") == true)
    #expect(run.failure?.message.contains("22620404") == true)
  }

  @Test("P50: a body that only the closing ends is taken, and marked") func closeDelimited() throws {
    var answer = ScriptedAnswer([.head(HTTPResponseHead(status: 200)), .bytes(content)])
    answer.isFramed = false
    let run = try DownloadHarness.run([answer])
    #expect(run.stored?.evidence == StoredObject.Evidence.none)
  }

  @Test("304 to a conditional request ends as unchanged, and no sink is opened") func notModified() throws {
    let run = try DownloadHarness.run([.status(304, [], length: 0)]) { $0.known = .strongETag("\"v1\"") }
    guard case .unchanged = run.result.ending else {
      Issue.record("\(run.result.ending)")
      return
    }
    #expect(run.requests[0].fields["If-None-Match"] == "\"v1\"")
    #expect(run.sink.events.isEmpty)
  }

  @Test("P48: the same bytes as those that stand there leave the file alone") func identical() throws {
    let run = try DownloadHarness.run([.status(200, body: content)]) {
      $0.standing = DigestSet([Digest(crc32c: 0x2262_0404)])
    }
    guard case .identical = run.result.ending else {
      Issue.record("\(run.result.ending)")
      return
    }
    #expect(run.sink.fate == "discard")
  }

  @Test("max_size is held against the length before a byte comes, and while they come") func maximumSize() throws {
    for answer in [
      ScriptedAnswer.status(200, body: content),
      ScriptedAnswer([.head(HTTPResponseHead(status: 200)), .bytes(content)]),
    ] {
      let run = try DownloadHarness.run([answer]) { $0.terms.maxSize = 10 }
      #expect(run.failure?.reason == .sizeLimitExceeded)
      #expect(run.requests.count == 1)
      #expect(run.sink.bytes.count <= 10)
    }
  }

  @Test(
    "P87, P25: an error's body is no content, and what cannot change is asked for once",
    arguments: [204, 203, 205, 206, 400, 401, 403, 404, 405, 410, 451])
  func errorBody(status: Int) throws {
    let run = try DownloadHarness.run([.status(status, [("Content-Type", "text/html")], body: content)])
    #expect(run.failure?.httpStatus == status)
    #expect(run.requests.count == 1)
    #expect(run.sink.bytes.isEmpty)
    #expect(run.result.bytesReceived == 0)
  }

  @Test("P31: an outage of 40 s is survived") func outage() throws {
    let transport = ScriptedTransport { [content] _, number in
      number <= 8 ? .status(503, body: Array("busy".utf8)) : .status(200, body: content)
    }
    let run = try DownloadHarness.run(transport, random: 0.9)
    #expect(run.stored != nil)
    #expect(run.elapsed > .seconds(40))
  }

  @Test("P23: after Retry-After no request goes to that host before its time") func retryAfter() throws {
    let run = try DownloadHarness.run([.status(429, [("Retry-After", "3")]), .status(200, body: content)])
    #expect(run.stored != nil)
    #expect(run.elapsed >= .seconds(3) && run.elapsed < .seconds(4))
    #expect(run.result.attempts[0].wait == .seconds(3))
  }

  /// A service that tells in the body of a 403 that it was asked too much.
  private struct BusyEndpoint: ObjectEndpoint {
    let web: WebEndpoint
    let isBusy: Bool

    var servedBy: String { web.servedBy }
    func mediaRequest(generation: Int64?, unlessStill known: Validator?, stored: StoredEncoding) -> HTTPRequest {
      web.mediaRequest(generation: generation, unlessStill: known, stored: stored)
    }
    func explain(_ head: HTTPResponseHead, body: [UInt8]) -> ServerExplanation {
      ServerExplanation(message: "slow down", isRateLimit: isBusy)
    }
  }

  @Test("a rate limit that only the body tells is waited for, and the loop is told", arguments: [true, false])
  func overload(isBusy: Bool) throws {
    let transport = ScriptedTransport([.status(403, body: [1]), .status(403, body: [1]), .status(200, body: content)])
    let web = WebEndpoint(try HTTPURL(parsing: DownloadHarness.url))
    let run = try DownloadHarness.run(transport) { $0.endpoints = [BusyEndpoint(web: web, isBusy: isBusy)] }
    #expect((run.stored != nil) == isBusy)
    #expect(transport.overloads == (isBusy ? [web.url.origin, web.url.origin] : []))
  }

  @Test("P81: a mirror with wrong bytes gives way to the next") func mirrors() throws {
    let transport = ScriptedTransport { [content] request, _ in
      request.url.origin.host == "b.example" ? .status(200, body: content) : .status(200, body: [1, 2, 3])
    }
    let run = try DownloadHarness.run(transport, urls: ["http://a.example/x", "http://b.example/x"]) {
      $0.pins.digests.crc32c = Digest(crc32c: 0x2262_0404)
    }
    #expect(run.stored != nil)
    #expect(run.result.mirror == 1)
    #expect(run.requests.count == 2)
  }

  @Test("P81: a mirror that is down is asked again only after the others") func mirrorDown() throws {
    let transport = ScriptedTransport { [content] request, number in
      number < 3 ? .fault(.connectionRefused) : .status(200, body: content)
    }
    let run = try DownloadHarness.run(transport, urls: ["http://a.example/x", "http://b.example/x"], random: 0.5)
    #expect(run.requests.map(\.url.origin.host) == ["a.example", "b.example", "a.example"])
    #expect(run.stored != nil)
  }

  @Test("P35: a credential stays with its origin across a redirect") func redirectWithoutCredential() throws {
    let transport = ScriptedTransport { [content] request, _ in
      request.url.origin.host == "a.example"
        ? .status(302, [("Location", "http://b.example/signed?token=x")]) : .status(200, body: content)
    }
    let run = try DownloadHarness.run(transport, authorizer: OneHost(host: "a.example"))
    #expect(run.stored != nil)
    #expect(run.requests.map { $0.fields["Authorization"] } == ["Bearer secret", nil])
  }

  @Test("P37: a redirect loop ends at once and for good") func redirectLoop() throws {
    let transport = ScriptedTransport { request, _ in
      .status(302, [("Location", request.url.path == "/fox" ? "/hen" : "/fox")])
    }
    let run = try DownloadHarness.run(transport)
    #expect(run.failure?.reason == .tooManyRedirects)
    #expect(run.requests.count == 2)
  }

  @Test("Q14: when the listed generation is gone, the live one is taken") func replacedAfterListing() throws {
    let run = try DownloadHarness.run([
      .status(404), .status(200, [("x-goog-generation", "8")], body: content),
    ]) { $0.listed = ObjectVersion(generation: 7, size: 3) }
    #expect(run.stored?.version.generation == 8)
  }

  @Test("P03: a server that decodes is asked again for the stored bytes") func transcoded() throws {
    let run = try DownloadHarness.run([
      .status(200, [("x-goog-stored-content-encoding", "gzip"), ("x-goog-hash", "crc32c=AAAAAA==")], body: [1, 2]),
      .status(
        200,
        [
          ("x-goog-stored-content-encoding", "gzip"), ("Content-Encoding", "gzip"),
          ("x-goog-hash", "crc32c=\(DownloadHarness.crc32c)"),
        ], body: content),
    ])
    #expect(run.requests.map { $0.fields["Accept-Encoding"] } == ["identity", "gzip"])
    #expect(run.stored?.evidence == .serverDigest)
  }

  @Test("strict proof takes no file without a digest") func strict() throws {
    let run = try DownloadHarness.run([.status(200, body: content)]) { $0.terms.proof = .digest }
    #expect(run.failure?.reason == .notComparable)
  }

  @Test("the item's deadline ends it, also in the middle of a stall") func deadline() throws {
    let stall = ScriptedAnswer([
      .head(HTTPResponseHead(status: 200, contentLength: length)), .bytes(Array(content[..<5])), .wait(.seconds(3600)),
    ])
    let run = try DownloadHarness.run([stall]) { $0.terms.deadline = .seconds(60) }
    #expect(run.failure?.reason == .deadlineExceeded)
  }

  @Test("P09: a kept connection that died before the answer costs no attempt") func resentForFree() throws {
    var dead = ScriptedAnswer.fault(.emptyReply)
    dead.isReused = true
    let run = try DownloadHarness.run([dead, .status(200, body: content)], random: 1)
    #expect(run.stored != nil)
    #expect(run.elapsed == .zero)
    #expect(run.result.attempts.count == 1)
  }

  @Test("I16: a 401 renews the credential once and is then answered") func renewal() throws {
    let transport = ScriptedTransport { [content] request, _ in
      request.fields["Authorization"] == "Bearer 2" ? .status(200, body: content) : .status(401)
    }
    let authorizer = CountingAuthorizer()
    let run = try DownloadHarness.run(transport, authorizer: authorizer)
    #expect(run.stored != nil)
    #expect(authorizer.renewals == 1)
  }
}

/// One fixed secret for one host.
private struct OneHost: RequestAuthorizer {
  var host: String

  func authorization(for url: HTTPURL) -> RequestAuthorization {
    guard url.origin.host == host else { return .none }
    return .ready(HTTPFields([.init("Authorization", "Bearer secret")]))
  }

  func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    completion(TransferFailure(.unauthenticated, .unauthenticated, "no other secret"))
  }
}

/// A token that counts up with each renewal.
private final class CountingAuthorizer: RequestAuthorizer {
  private let token = Lock(1)

  var renewals: Int { token.withLock { $0 - 1 } }

  func authorization(for url: HTTPURL) -> RequestAuthorization {
    .ready(HTTPFields([.init("Authorization", "Bearer \(token.withLock { $0 })")]))
  }

  func renew(
    for url: HTTPURL, refused: HTTPFields?, completion: @escaping @Sendable (TransferFailure?) -> Void
  ) {
    token.withLock { $0 += 1 }
    completion(nil)
  }
}
